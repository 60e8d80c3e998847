package import BullaRecords

/// The place of an asset's dictionary in a request: the record and the field.
package struct AssetPlace: Hashable, Sendable {
    package let zone: ZoneIdentifier
    /// The record's name; `nil` in a query, and if the service will name the record.
    package let recordName: String?
    /// The record's type; `nil` if the request does not give it and the record does not exist.
    package let recordType: String?
    package let field: String

    package init(
        _ field: String, of recordType: String?, named recordName: String?,
        in zone: ZoneIdentifier
    ) {
        self.field = field
        self.recordType = recordType
        self.recordName = recordName
        self.zone = zone
    }
}
