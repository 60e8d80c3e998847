import BullaRecords

extension WebCall {
    func listZones() throws(RecordError) -> [UInt8] {
        ZonesAnswer(try view.zones().map { .zone($0, syncToken: nil) }).bytes()
    }

    func lookUpZones(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try ZonesLookupRequest(value, context)
        var items: [ZonesAnswer.Item] = []
        for zone in request.zones {
            do throws(RecordError) {
                // This reads no records. It throws an error if the caller cannot use the zone. If
                // the owner's keys were reset, the error says so.
                _ = try zones(like: zone).records([], in: zone.name)
                items.append(.zone(zone, syncToken: nil))
            } catch { items.append(.failed(zone, WebError(error))) }
        }
        return ZonesAnswer(items).bytes()
    }

    /// Creates and deletes zones in the order of the request, each independently of the others.
    func modifyZones(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        let request = try ZonesModifyRequest(value, context)
        var items: [ZonesAnswer.Item] = []
        for operation in request.operations {
            do throws(RecordError) {
                let zone = operation.zone
                switch operation.kind {
                case .create:
                    try (view.scope == .shared ? view : zones(like: zone)).createZone(zone.name)
                    items.append(.zone(operation.zone, syncToken: nil))
                case .delete:
                    try zones(like: zone).deleteZone(zone.name)
                    items.append(.deleted(operation.zone))
                }
            } catch { items.append(.failed(operation.zone, WebError(error))) }
        }
        return ZonesAnswer(items).bytes()
    }
}
