package import BullaRecords

/// A request of `zones/lookup`.
package struct ZonesLookupRequest: Hashable, Sendable {
    package let zones: [ZoneIdentifier]

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        var zones: [ZoneIdentifier] = []
        for zone in try value.requiredList("zones", limit: context.limits.itemLimit) {
            zones.append(try WireZone.read(zone.optional("zoneID") ?? zone, context))
        }
        self.zones = zones
    }
}

/// A request of `zones/modify`.
package struct ZonesModifyRequest: Hashable, Sendable {
    package struct Operation: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Sendable { case create, delete }

        package let kind: Kind
        package let zone: ZoneIdentifier
    }

    package let operations: [Operation]

    package init(_ value: JSONValue, _ context: WireContext) throws(RecordError) {
        var operations: [Operation] = []
        for operation in try value.requiredList("operations", limit: context.limits.itemLimit) {
            let named = try operation.asObject().required("operationType")
            guard let kind = Operation.Kind(rawValue: try named.asText()) else {
                throw named.refusal("create or delete", found: "another name")
            }
            let zone = try operation.required("zone").asObject().required("zoneID")
            operations.append(Operation(kind: kind, zone: try WireZone.read(zone, context)))
        }
        self.operations = operations
    }
}
