package import BullaRecords

/// The form of the records in an answer, or in a client's request.
package struct AnswerForm: Sendable {
    /// Makes the dictionary of an asset that a record holds.
    package typealias AssetNamer =
        @Sendable (_ asset: AssetDescriptor, _ record: RecordIdentifier) -> WireAsset

    /// Makes the token of a share; returns `nil` if the service cannot make one.
    package typealias ShareNamer = @Sendable (ZoneSharing) -> String?

    /// Whether numbers in fields are written in quotes.
    package var numbersAsStrings: Bool
    /// The account that sent the request.
    package let viewer: AccountIdentifier?
    /// Whether shares come with their invitations.
    package let hasInvitations: Bool
    package let shareToken: ShareNamer
    package let asset: AssetNamer

    package init(
        numbersAsStrings: Bool = false, viewer: AccountIdentifier? = nil,
        hasInvitations: Bool = false,
        shareToken: @escaping ShareNamer = { _ in nil }, asset: @escaping AssetNamer
    ) {
        (self.numbersAsStrings, self.hasInvitations) = (numbersAsStrings, hasInvitations)
        (self.viewer, self.shareToken, self.asset) = (viewer, shareToken, asset)
    }
}

/// Writes the fields of a record in an answer, or in a client's request.
struct FieldWriter {
    let form: AnswerForm
    /// The record that has the fields.
    let record: RecordIdentifier

    /// Writes the fields that have a value, whether open or still sealed; every double must be
    /// finite.
    func append(_ fields: [WireField], to writer: inout JSONWriter) {
        writer.beginObject()
        for field in fields {
            guard let kind = field.value?.kind ?? field.sealedKind else { continue }
            writer.key(field.name)
            writer.beginObject()
            if let value = field.value {
                writer.key("value")
                append(value, to: &writer)
            }
            writer.member("type", kind.wireName)
            if field.isEncrypted { writer.member("isEncrypted", true) }
            writer.endObject()
        }
        writer.endObject()
    }

    func append(_ value: RecordValue, to writer: inout JSONWriter) {
        guard case .list(_, let elements) = value else {
            return appendOne(value, to: &writer)
        }
        writer.beginArray()
        for element in elements { appendOne(element, to: &writer) }
        writer.endArray()
    }

    private func appendOne(_ value: RecordValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .int64(let number), .timestamp(let number):
            form.numbersAsStrings ? writer.string(String(number)) : writer.int64(number)
        case .double(let number):
            form.numbersAsStrings ? writer.string(number.description) : writer.double(number)
        case .bytes(let data): writer.base64(data)
        case .location(let location): location.append(to: &writer)
        case .reference(let reference): reference.append(to: &writer)
        case .asset(let asset): form.asset(asset, record).append(to: &writer)
        case .list: preconditionFailure("a list holds no lists")
        }
    }

    /// Whether JSON can express the value; it cannot express infinite doubles and NaN.
    static func isSayable(_ value: RecordValue) -> Bool {
        switch value {
        case .double(let number): number.isFinite
        case .location(let location): location.isFinite
        case .list(.double, let elements), .list(.location, let elements):
            elements.allSatisfy { isSayable($0) }
        default: true
        }
    }
}
