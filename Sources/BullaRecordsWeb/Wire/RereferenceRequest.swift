package import BullaRecords

/// A request of `assets/rereference`: it asks for receipts, each of which lets one more field hold
/// a file that a record already holds.
package struct RereferenceRequest: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        /// The record that holds the file.
        package let recordName: String
        package let fieldName: String
        /// Identifies the file in a field that holds a list; `nil` for the only file of a field.
        package let fileChecksum: String?
        package let destination: Destination
    }

    /// The other field that is to hold the file; its record is in the request's zone.
    package struct Destination: Hashable, Sendable {
        /// The record for which the receipt is valid; `nil` for any record of the type.
        package let recordName: String?
        /// The record's type; `nil` for that of the record that holds the file.
        package let recordType: String?
        /// The name of the field; `nil` for that of the field that holds the file.
        package let fieldName: String?
    }

    package let items: [Item]
    package let zone: ZoneIdentifier

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        zone = try WireZone.readMember(of: value, context)
        var items: [Item] = []
        for item in try value.requiredList("assets", limit: context.limits.itemLimit) {
            let item = try item.asObject()
            items.append(
                Item(
                    recordName: try item.required("recordName").asText(isBounded: false),
                    fieldName: try item.requiredText("fieldName"),
                    fileChecksum: try item.optionalText("fileChecksum"),
                    destination: try Destination(item.optional("destination"))))
        }
        self.items = items
    }
}

extension RereferenceRequest.Destination {
    /// - Parameter value: `nil` for a request that names no destination.
    fileprivate init(_ value: JSONValue?) throws(RecordError) {
        guard let value = try value?.asObject() else {
            (recordName, recordType, fieldName) = (nil, nil, nil)
            return
        }
        recordName = try value.optionalText("recordName")
        recordType = try value.optionalText("recordType")
        fieldName = try value.optionalText("fieldName")
    }
}

/// The answer of `assets/rereference`: for each field, a file with its receipt, or an error.
package struct RereferenceAnswer: Sendable {
    package enum Item: Sendable {
        case asset(WireAsset)
        case failed(recordName: String, WebError)
    }

    private let items: [Item]

    package init(_ items: [Item]) { self.items = items }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.list("assets", items) { item, writer in
                switch item {
                case .asset(let asset): asset.append(to: &writer)
                case .failed(let name, let error):
                    error.appendItem(recordName: name, to: &writer)
                }
            }
        }
    }
}
