package import BullaRecords

/// A request of `records/lookup`.
package struct LookupRequest: Sendable {
    package struct Item: Hashable, Sendable {
        package let record: RecordIdentifier
        /// The names of the fields to return; `nil` for all.
        package let desiredKeys: Set<String>?
    }

    package let items: [Item]
    package let zone: ZoneIdentifier
    package let numbersAsStrings: Bool
    /// Whether values that are sealed for users stay sealed, so that the answer leaves them out.
    package let keepsSealed: Bool
    /// Whether the answer includes the invitations of shares.
    package let hasInvitations: Bool

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        zone = try WireZone.readMember(of: value, context)
        numbersAsStrings = try value.flag("numbersAsStrings") ?? false
        keepsSealed = try value.flag("keepSealed") ?? false
        hasInvitations = try value.asksForInvitations()
        let desiredKeys = try value.names("desiredKeys")
        var items: [Item] = []
        for item in try value.requiredList("records", limit: context.limits.itemLimit) {
            let item = try item.asObject()
            let itemZone = try WireZone.optionalMember(of: item, context) ?? zone
            let name = try item.required("recordName").asText(isBounded: false)
            items.append(
                Item(
                    record: RecordIdentifier(name, in: itemZone),
                    desiredKeys: try item.names("desiredKeys") ?? desiredKeys))
        }
        self.items = items
    }
}
