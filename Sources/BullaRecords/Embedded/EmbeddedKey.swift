internal import Bulla

/// The keys of an embedded backend's trees.
package enum EmbeddedKey {
    /// The prefix of a place's keys.
    static func place(_ place: Place) -> [UInt8] {
        var key: [UInt8] = []
        key.append(sorted: UInt16(clamping: place.container.utf8.count))
        key += place.container.utf8
        key.append(place.environment.rawValue)
        return key
    }

    /// The key of a database, which is also the prefix of the keys of its zones.
    static func database(_ database: Database) -> [UInt8] {
        var key = place(database.place)
        key.append(database.owner == nil ? 0 : 1)
        key += database.owner?.identifier.bytes ?? []
        return key
    }

    static func zone(_ name: String, _ database: Database) -> [UInt8] {
        Self.database(database) + Array(name.utf8)
    }

    /// The database and the name in a zone's key.
    static func zone(
        _ key: [UInt8], of place: Place
    ) throws(RecordError) -> (database: Database, name: String) {
        let rest = key.dropFirst(Self.place(place).count)
        let ownerCount = RandomIdentifier.byteCount
        switch rest.first {
        case 0: return (Database(place, owner: nil), try name(rest.dropFirst()))
        case 1:
            let owner = RandomIdentifier(bytes: Array(rest.dropFirst().prefix(ownerCount)))
            guard let owner else { break }
            let database = Database(place, owner: AccountIdentifier(owner))
            return (database, try name(rest.dropFirst(1 + ownerCount)))
        default: break
        }
        throw RecordError(.damaged, "list zones: a key is malformed")
    }

    static func record(_ name: String, _ zone: ZoneLife) -> [UInt8] {
        zone.incarnation.bytes + Array(name.utf8)
    }

    static func feed(_ version: UInt64, _ zone: ZoneLife) -> [UInt8] {
        var key = zone.incarnation.bytes
        key.append(sorted: version)
        return key
    }

    /// The keys of a zone's feed for the changes after a version.
    static func feed(of zone: ZoneLife, after version: UInt64) -> KeyRange {
        // Nothing comes after the greatest version, so for that one the range is empty.
        let first = version == .max ? version : version + 1
        return .from(feed(first, zone), upTo: feed(.max, zone))
    }

    static func index(_ place: [UInt8], _ zone: ZoneLife) -> [UInt8] {
        zone.incarnation.bytes + place
    }

    /// The prefix of the keys, in `referrers`, of the records that refer to a record.
    static func referrers(
        _ target: String, _ action: RecordReference.Action, _ zone: ZoneLife
    ) -> [UInt8] {
        zone.incarnation.bytes + [action.rawValue] + Array(target.utf8) + [0]
    }

    static func deletion(_ time: Int64, _ version: UInt64, _ zone: ZoneLife) -> [UInt8] {
        var key = zone.incarnation.bytes
        key += Self.time(time, [])
        key.append(sorted: version)
        return key
    }

    static func batch(_ batch: RandomIdentifier, _ zone: ZoneLife) -> [UInt8] {
        zone.incarnation.bytes + batch.bytes
    }

    /// A key that sorts by time, in milliseconds since 1970.
    static func time(_ time: Int64, _ rest: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.append(sorted: UInt64(bitPattern: time) ^ 1 << 63)
        return key + rest
    }

    package static func document(_ name: String, _ place: Place) -> [UInt8] {
        Self.place(place) + Array(name.utf8)
    }

    /// Decodes a name from the key or the value of a row.
    static func name(_ bytes: some Sequence<UInt8>) throws(RecordError) -> String {
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw RecordError(.damaged, "read a row: a name in it is not UTF-8")
        }
        return name
    }

    static func chunk(_ index: UInt32, _ asset: RandomIdentifier) -> [UInt8] {
        var key = asset.bytes
        key.append(sorted: index)
        return key
    }
}
