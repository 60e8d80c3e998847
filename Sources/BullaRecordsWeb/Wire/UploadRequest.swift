package import BullaRecords

/// A request of `assets/upload`: for each field, it asks for an address to which to send a file.
package struct UploadRequest: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        /// The record's name; `nil` if the service will name a new record.
        package let recordName: String?
        package let recordType: String
        package let fieldName: String

        package init(recordName: String?, recordType: String, fieldName: String) {
            (self.recordName, self.recordType) = (recordName, recordType)
            self.fieldName = fieldName
        }
    }

    package let items: [Item]
    package let zone: ZoneIdentifier

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        zone = try WireZone.readMember(of: value, context)
        var items: [Item] = []
        for item in try value.requiredList("tokens", limit: context.limits.itemLimit) {
            let item = try item.asObject()
            items.append(
                Item(
                    recordName: try item.optionalText("recordName"),
                    recordType: try item.requiredText("recordType"),
                    fieldName: try item.requiredText("fieldName")))
        }
        self.items = items
    }
}
