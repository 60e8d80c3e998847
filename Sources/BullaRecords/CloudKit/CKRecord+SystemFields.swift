internal import BullaMemory
public import Foundation

/// The data that the system keeps about a record, for a program that stores the record's fields in
/// a form of its own.
///
///     bytes  field
///         1  version: 2
///         n  type, name, zone, owner, each after its byte count (32 bits)
///         1  1 if the record was saved, in which case the following fields are present; else 0
///        12  change tag
///         n  created, modified: time 8, account 1 + 16, device
///         n  0, or 1 and the parent
///         n  0, or 1 and account 16: the owner of each zone that is named without an owner
///         n  0, or 1 and account 16: the reader
///         n  name of the share, or nothing, after its byte count
extension CKRecord {
    private static let version: UInt8 = 2
    private static let archiveKey = "BullaRecordSystemFields"

    /// Writes the system's data, such as name, zone, type, change tag, times and parent, into an
    /// archive, but no fields and no unsaved changes.
    ///
    /// A record restored from the archive has this record's change tag, so it can be saved over the
    /// same stored version.
    public func encodeSystemFields(with coder: NSCoder) {
        coder.encode(Data(systemFields) as NSData, forKey: Self.archiveKey)
    }

    /// Restores a record, without its fields, from what ``encodeSystemFields(with:)`` wrote; `nil`
    /// if there is no valid data.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.object(NSData.self, forKey: Self.archiveKey),
            let fields = [UInt8](data as Data).withView({ Self.systemFields($0) })
        else { return nil }
        var state = RecordState()
        state.metadata = fields.metadata
        self.init(fields.type, fields.id, state)
    }

    private var systemFields: [UInt8] {
        var bytes = [Self.version]
        bytes.append(text: recordType)
        bytes.append(text: recordID.recordName)
        bytes.append(text: recordID.zoneID.zoneName)
        bytes.append(text: recordID.zoneID.ownerName)
        guard let metadata = snapshot.metadata else { return bytes + [0] }
        bytes.append(1)
        bytes += metadata.tag.bytes
        bytes.append(metadata.stamps.created)
        bytes.append(metadata.stamps.modified)
        bytes.append(metadata.parent == nil ? 0 : 1)
        if let parent = metadata.parent { ValueCoding.append(parent, to: &bytes) }
        for account in [metadata.home, metadata.viewer] {
            bytes.append(account == nil ? 0 : 1)
            bytes += account?.identifier.bytes ?? []
        }
        bytes.append(text: metadata.share ?? "")
        return bytes
    }

    private static func systemFields(
        _ view: ByteView
    ) -> (type: String, id: ID, metadata: RecordMetadata?)? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let type = cursor.nextText(),
            let name = cursor.nextText(), let zone = cursor.nextText(),
            let owner = cursor.nextText(), let isSaved = cursor.next(UInt8.self), isSaved <= 1
        else { return nil }
        let id = ID(
            recordName: name, zoneID: CKRecordZone.ID(zoneName: zone, ownerName: owner))
        let metadata = isSaved == 1 ? cursor.nextMetadata() : nil
        guard (metadata != nil) == (isSaved == 1), cursor.isAtEnd else { return nil }
        return (type, id, metadata)
    }
}

extension ByteCursor {
    fileprivate mutating func nextMetadata() -> RecordMetadata? {
        guard let tag = nextTag(), let created = nextStamp(), let modified = nextStamp(),
            let hasParent = next(UInt8.self), hasParent <= 1
        else { return nil }
        let parent = hasParent == 1 ? ValueCoding.record(&self) : nil
        guard (parent != nil) == (hasParent == 1), let home = nextAccount(),
            let viewer = nextAccount(), let share = nextText()
        else { return nil }
        return RecordMetadata(
            tag, RecordStamps(created: created, modified: modified), parent: parent, home: home,
            viewer: viewer, share: share.isEmpty ? nil : share)
    }

    private mutating func nextAccount() -> AccountIdentifier?? {
        switch next(UInt8.self) {
        case 0: .some(nil)
        case 1: nextIdentifier().map { .some(AccountIdentifier($0)) }
        default: nil
        }
    }
}
