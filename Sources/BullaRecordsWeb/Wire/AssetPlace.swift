package import BullaRecords

/// Where an asset's dictionary stands in a request: in which field of which record.
package struct AssetPlace: Hashable, Sendable {
    package let zone: ZoneIdentifier
    /// `nil` where the service is to name the record, and for no record.
    package let recordName: String?
    /// `nil` where the request does not say it, and there is no record that does.
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
