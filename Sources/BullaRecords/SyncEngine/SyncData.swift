internal import Foundation

/// What an engine knows between two syncs.
struct SyncData: Sendable {
    /// The name of the user's record; `nil` for nobody.
    var user: String?
    var databaseToken: CKServerChangeToken?
    var zoneTokens: [CKRecordZoneID: CKServerChangeToken] = [:]
    /// Zones with changes that are still to be fetched, in the order in which they were noticed.
    var unfetched: [CKRecordZoneID] = []
    /// The records with pending changes: `true` to save a record, `false` to delete it.
    var records = PendingList<CKRecordID>()
    /// The zones with pending changes: `true` to save a zone, `false` to delete it.
    var zones = PendingList<CKRecordZoneID>()
    var hasUntracked = false
    /// The zones for which the delegate has already been told that their keys were reset.
    var resets: Set<CKRecordZoneID> = []

    mutating func add(_ change: CKSyncEngine.PendingRecordZoneChange) {
        records.add(change.recordID, change.isSave)
    }

    mutating func remove(_ change: CKSyncEngine.PendingRecordZoneChange) {
        records.remove(change.recordID, change.isSave)
    }

    mutating func add(_ change: CKSyncEngine.PendingDatabaseChange) {
        zones.add(change.zoneID, change.isSave)
    }

    mutating func remove(_ change: CKSyncEngine.PendingDatabaseChange) {
        zones.remove(change.zoneID, change.isSave)
    }

    /// Notes that a zone has changes.
    mutating func note(_ zone: CKRecordZoneID) {
        if !unfetched.contains(zone) { unfetched.append(zone) }
    }

    /// Forgets how far a zone was fetched, and whether it has changes.
    mutating func forget(_ zone: CKRecordZoneID) {
        zoneTokens[zone] = nil
        unfetched.removeAll { $0 == zone }
    }
}

/// Items, each with a flag, in the order in which they were added.
struct PendingList<Key: Hashable & Sendable>: Sendable {
    private var items: [Key: (place: UInt64, flag: Bool)] = [:]
    private var next: UInt64 = 0

    var isEmpty: Bool { items.isEmpty }

    var all: [(key: Key, value: Bool)] {
        items.sorted { $0.value.place < $1.value.place }.map { ($0.key, $0.value.flag) }
    }

    /// Adds an item at the end; if the list has it already, moves it there, with the new flag.
    mutating func add(_ key: Key, _ flag: Bool) {
        items[key] = (next, flag)
        next += 1
    }

    /// A mark that separates the items that were added so far from those that will be added.
    var mark: UInt64 { next }

    /// Removes an item if it has this flag, and was added before the mark.
    ///
    /// - Returns: whether it was removed.
    @discardableResult
    mutating func remove(_ key: Key, _ flag: Bool, before mark: UInt64 = .max) -> Bool {
        guard let item = items[key], item.place < mark, item.flag == flag else { return false }
        items[key] = nil
        return true
    }
}

extension CKSyncEngine.PendingRecordZoneChange {
    var isSave: Bool { if case .saveRecord = self { true } else { false } }
}

extension CKSyncEngine.PendingDatabaseChange {
    var isSave: Bool { if case .saveZone = self { true } else { false } }
}

extension SyncData: Codable {
    private enum Field: String, CodingKey {
        case format, user, token, zones, unfetched, records, changedZones, hasUntracked, resets
    }

    private struct Zone: Codable {
        let name: String
        let owner: String
        var token: Data?
        /// Whether the zone's pending change saves the zone; `nil` except in the list of pending
        /// changes.
        var isSaved: Bool?

        init(_ id: CKRecordZoneID) { (name, owner) = (id.zoneName, id.ownerName) }

        var id: CKRecordZoneID { CKRecordZoneID(zoneName: name, ownerName: owner) }
    }

    private struct Record: Codable {
        let name: String
        let zone: Zone
        let isSaved: Bool
    }

    private static let format = 1

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        guard try fields.decode(Int.self, forKey: .format) == Self.format else {
            throw DecodingError.dataCorruptedError(
                forKey: .format, in: fields, debugDescription: "the state has another format")
        }
        user = try fields.decodeIfPresent(String.self, forKey: .user)
        databaseToken = try fields.decodeIfPresent(Data.self, forKey: .token).map {
            CKServerChangeToken([UInt8]($0))
        }
        for zone in try fields.decode([Zone].self, forKey: .zones) {
            zoneTokens[zone.id] = zone.token.map { CKServerChangeToken([UInt8]($0)) }
        }
        unfetched = try fields.decode([Zone].self, forKey: .unfetched).map(\.id)
        for record in try fields.decode([Record].self, forKey: .records) {
            records.add(
                CKRecordID(recordName: record.name, zoneID: record.zone.id), record.isSaved)
        }
        for zone in try fields.decode([Zone].self, forKey: .changedZones) {
            zones.add(zone.id, zone.isSaved ?? true)
        }
        hasUntracked = try fields.decode(Bool.self, forKey: .hasUntracked)
        resets = Set(try fields.decode([Zone].self, forKey: .resets).map(\.id))
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(Self.format, forKey: .format)
        try fields.encodeIfPresent(user, forKey: .user)
        try fields.encodeIfPresent(databaseToken.map { Data($0.bytes) }, forKey: .token)
        let known = zoneTokens.map { id, token in
            var zone = Zone(id)
            zone.token = Data(token.bytes)
            return zone
        }
        try fields.encode(known, forKey: .zones)
        try fields.encode(unfetched.map { Zone($0) }, forKey: .unfetched)
        let pending = records.all.map { id, isSaved in
            Record(name: id.recordName, zone: Zone(id.zoneID), isSaved: isSaved)
        }
        try fields.encode(pending, forKey: .records)
        let changed = zones.all.map { id, isSaved in
            var zone = Zone(id)
            zone.isSaved = isSaved
            return zone
        }
        try fields.encode(changed, forKey: .changedZones)
        try fields.encode(hasUntracked, forKey: .hasUntracked)
        try fields.encode(resets.map { Zone($0) }, forKey: .resets)
    }
}
