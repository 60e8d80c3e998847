package import BullaRecords

extension MemoryBackend {
    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        look { state in
            state.zones.values.map(\.head).filter { $0.database == database }
                .sorted { $0.name.precedes($1.name) }
        }
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        look { $0.zones.values.map(\.head).filter { $0.database.place == place } }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        look { $0.zones[ZoneName(database: database, name: name)]?.head }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        try change { state throws(RecordError) in
            let name = ZoneName(database: zone.database, name: zone.name)
            guard state.zones[name] == nil else { return false }
            state.zones[name] = Zone(head: zone)
            return true
        }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try change { state throws(RecordError) in
            guard var found = state[ZoneLife(zone)], found.head.epoch == formerEpoch,
                found.head.keys == formerKeys
            else { return false }
            let former = found.head
            (found.head.epoch, found.head.keys) = (zone.epoch, zone.keys)
            try found.head.count(1)
            found.head.seal = try sealing(former, found.head, [])
            state.put(found)
            return true
        }
    }

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try change { state throws(RecordError) in
            guard let found = state[zone] else { return false }
            state.zones[ZoneName(database: zone.database, name: zone.name)] = nil
            state.free(found.rows.values.reduce(into: []) { $0.formUnion($1.entry?.assets ?? []) })
            return true
        }
    }

    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        look { $0.documents[DocumentName(place: place, name: name)] }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        try change { state throws(RecordError) in
            let name = DocumentName(place: place, name: name)
            guard state.documents[name]?.version ?? 0 == version else { return false }
            state.documents[name] = StoredDocument(version: version + 1, bytes)
            return true
        }
    }

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        try change { state throws(RecordError) in
            guard !state.heldAssets.contains(asset) else {
                throw RecordError(.invalidArguments, "keep chunks: a record holds the asset")
            }
            guard state.assets[asset] != nil || first == 0 else {
                throw RecordError(.assetNotFound, "keep chunks: the earlier ones are gone")
            }
            var kept = state.assets[asset] ?? Asset(lastTime: time, database: database)
            guard kept.database == database else {
                throw RecordError(.invalidArguments, "keep chunks: the asset is another account's")
            }
            var index = first
            while let chunk = next() {
                kept.chunks[index] = chunk
                index &+= 1
            }
            kept.lastTime = max(kept.lastTime, time)
            state.assets[asset] = kept
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        guard let kept = look({ $0.assets[asset]?.chunks[index] }) else { return false }
        chunk = kept
        return true
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        try change { state throws(RecordError) in
            let held = state.heldAssets
            let orphans = state.assets.filter { $0.value.lastTime < time && !held.contains($0.key) }
            for asset in orphans.keys { state.assets[asset] = nil }
            return orphans.count
        }
    }
}
