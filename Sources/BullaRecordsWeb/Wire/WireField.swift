package import BullaRecords

/// A field of a record in a request or an answer.
package struct WireField: Hashable, Sendable {
    package let name: String
    /// The value; `nil` if the field is to be removed.
    package let value: RecordValue?
    package let isEncrypted: Bool

    package init(_ name: String, _ value: RecordValue?, isEncrypted: Bool = false) {
        self.name = name
        self.value = value
        self.isEncrypted = isEncrypted
    }
}
