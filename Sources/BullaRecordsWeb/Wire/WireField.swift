package import BullaRecords

/// A field of a record in a request or an answer.
package struct WireField: Hashable, Sendable {
    package let name: String
    /// The value; `nil` if a request removes the field, or if the value stays sealed in an answer.
    package let value: RecordValue?
    package let isEncrypted: Bool
    /// The kind of the value, if an answer leaves the value out because it stays sealed.
    package let sealedKind: FieldKind?

    package init(_ name: String, _ value: RecordValue?, isEncrypted: Bool = false) {
        self.name = name
        self.value = value
        self.isEncrypted = isEncrypted
        sealedKind = nil
    }

    /// A field whose value stays sealed in an answer.
    init(_ name: String, sealed kind: FieldKind, isEncrypted: Bool) {
        (self.name, value, self.isEncrypted, sealedKind) = (name, nil, isEncrypted, kind)
    }
}
