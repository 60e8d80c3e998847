package import BullaRecords

/// A field of a record, as it is sent or answered.
package struct WireField: Hashable, Sendable {
    package let name: String
    /// `nil` where the field is to be removed.
    package let value: RecordValue?
    package let isEncrypted: Bool

    package init(_ name: String, _ value: RecordValue?, isEncrypted: Bool = false) {
        self.name = name
        self.value = value
        self.isEncrypted = isEncrypted
    }
}
