package import BullaRecords

/// The answer of `zones/list`, `zones/lookup` and `zones/modify`.
package struct ZonesAnswer: Sendable {
    package enum Item: Sendable {
        case zone(ZoneIdentifier, syncToken: [UInt8]?)
        case deleted(ZoneIdentifier)
        case failed(ZoneIdentifier, WebError)
    }

    package let zones: [Item]

    package init(_ zones: [Item]) { self.zones = zones }

    package func bytes() -> [UInt8] {
        answer { writer in
            writer.list("zones", zones) { item, writer in
                switch item {
                case .zone(let zone, let syncToken):
                    writer.beginObject()
                    writer.key("zoneID")
                    writer.zone(zone)
                    if let syncToken { writer.member("syncToken", token: syncToken) }
                    writer.endObject()
                case .deleted(let zone):
                    writer.beginObject()
                    writer.key("zoneID")
                    writer.zone(zone)
                    writer.member("deleted", true)
                    writer.endObject()
                case .failed(let zone, let error): error.appendItem(zone: zone, to: &writer)
                }
            }
        }
    }
}
