import BullaMemory
import BullaRecords

/// The permission to send a file for a field, or to save in that field a file that a record already
/// holds.
///
/// The grant is in the ticket with which a client uploads the file, and in the receipt.
struct UploadGrant: Hashable, Sendable {
    /// The account that may save the file; `nil` for a server whose key has no known owner.
    let account: AccountIdentifier?
    /// The place of the field, which includes a record's name only if the client has given one.
    let place: AssetPlace

    init(_ account: AccountIdentifier?, _ place: AssetPlace) {
        (self.account, self.place) = (account, place)
    }

    /// The aspect in which an intended use differs from the granted one; `nil` if the grant allows
    /// the use.
    func difference(from account: AccountIdentifier?, _ place: AssetPlace) -> String? {
        if account != self.account { return "account" }
        if place.zone != self.place.zone { return "zone" }
        if place.recordType != self.place.recordType { return "record type" }
        if place.field != self.place.field { return "field" }
        if let name = self.place.recordName, name != place.recordName { return "record" }
        return nil
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        let read = bytes.withView { view -> UploadGrant? in
            var cursor = ByteCursor(view)
            guard let grant = UploadGrant(&cursor), cursor.isAtEnd else { return nil }
            return grant
        }
        guard let read else { return nil }
        self = read
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(optional: account?.userRecordName)
        // The identifier is written even without a record name, because it also holds the zone.
        ValueCoding.append(RecordIdentifier(place.recordName ?? "", in: place.zone), to: &bytes)
        bytes.append(optional: place.recordType)
        bytes.append(text: place.field)
    }

    /// Reads a grant at the cursor; `nil` if the bytes there are not a grant.
    init?(_ cursor: inout ByteCursor) {
        guard let owner = cursor.nextOptionalText(),
            let record = ValueCoding.record(&cursor), let type = cursor.nextOptionalText(),
            let field = cursor.nextText()
        else { return nil }
        let account = owner.flatMap { AccountIdentifier(userRecordName: $0) }
        guard (account == nil) == (owner == nil) else { return nil }
        self.init(
            account,
            AssetPlace(
                field, of: type, named: record.name.isEmpty ? nil : record.name, in: record.zone))
    }
}

extension [UInt8] {
    /// Appends a text, or the fact that there is none.
    fileprivate mutating func append(optional text: String?) {
        append(text == nil ? 0 : 1)
        append(text: text ?? "")
    }
}

extension ByteCursor {
    fileprivate mutating func nextOptionalText() -> String?? {
        guard let isThere = next(UInt8.self), isThere <= 1, let text = nextText() else {
            return nil
        }
        return .some(isThere == 1 ? text : nil)
    }
}
