package import BullaRecords

extension MemoryBackend {
    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        look { state in names.map { state[zone]?.rows[$0]?.stored } }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        look { state in state[zone]?.rows[record]?.entry?.assets ?? [] }
    }

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        try batch.checkNames()
        return try change { state throws(RecordError) in
            guard let zone = state[batch.zone] else { return .noZone }
            if let first = zone.batches[batch.identifier] { return .committed(first: first) }
            if let refusal = state.refusal(of: batch, zone) { return refusal }
            return .committed(first: try state.apply(batch, zone))
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        guard let zone = look({ $0[zone] }) else { return nil }
        for (name, row) in zone.rows.sorted(by: { $0.key.precedes($1.key) })
        where row.entry != nil { try body(name, row.stored) }
        return zone.head
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        look { $0[zone]?.batches[batch] }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        look { state in
            guard let zone = state[zone] else { return nil }
            let all = zone.rows.filter { $0.value.stored.version > version }
                .map { (name: $0.key, record: $0.value.stored) }
                .sorted { $0.record.version < $1.record.version }
            return ChangePage(
                Array(all.prefix(max(limit, 1))), headVersion: zone.head.version,
                forgottenVersion: zone.forgottenVersion, hasMore: all.count > max(limit, 1))
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        look { state in
            var places: [(place: [UInt8], name: String)] = []
            for (name, row) in state[zone]?.rows ?? [:] {
                for place in row.entry?.indexes ?? [] where range.holds(place, after: mark) {
                    places.append((place, name))
                }
            }
            places.sort { $0.place.lexicographicallyPrecedes($1.place) }
            if range.isDescending { places.reverse() }
            let page = places.prefix(max(limit, 1))
            return IndexPage(
                page.map(\.name), mark: page.count < places.count ? page.last?.place : nil)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        look { state in
            let edge = ReferenceEdge(target: name, action)
            let names = (state[zone]?.rows ?? [:])
                .filter { $0.value.entry?.references.contains(edge) ?? false }
            return Array(names.keys.sorted { $0.precedes($1) }.prefix(max(limit, 1)))
        }
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try change { state throws(RecordError) in
            guard var zone = state[zone] else { return }
            for record in records where zone.rows[record.name]?.entry?.tag == record.tag {
                zone.rows[record.name]?.entry?.indexes = record.indexes
            }
            state.put(zone)
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        try change { state throws(RecordError) in
            guard var zone = state[zone] else { return }
            for (name, row) in zone.rows {
                guard case .deleted(_, let deleted) = row.stored.content, deleted < time else {
                    continue
                }
                zone.rows[name] = nil
                zone.forgottenVersion = max(zone.forgottenVersion, row.stored.version)
            }
            state.put(zone)
        }
    }
}

extension MemoryBackend.State {
    fileprivate func refusal(
        of batch: BackendBatch, _ zone: MemoryBackend.Zone
    ) -> BatchOutcome? {
        guard zone.head.epoch == batch.epoch else { return .otherEpoch(zone.head.epoch) }
        let schema = MemoryBackend.DocumentName(
            place: batch.zone.database.place, name: PlaceDocument.schema)
        let version = documents[schema]?.version ?? 0
        guard version == batch.schemaVersion else { return .otherSchema(version) }
        if let expected = batch.headVersion, expected != zone.head.version {
            return .otherHead(zone.head.version)
        }
        var conflicts: [Int: StoredRecord?] = [:]
        for (index, item) in batch.changes.enumerated() {
            let row = zone.rows[item.name]
            let isMet =
                switch item.expected {
                case .anything: true
                case .nothing: row?.entry == nil
                case .tag(let tag): row?.entry?.tag == tag
                }
            if !isMet { conflicts[index] = .some(row?.stored) }
        }
        guard conflicts.isEmpty else { return .conflicts(conflicts) }
        let lost = batch.changes.indices.filter { index in
            batch.changes[index].entry?.assets.contains {
                assets[$0]?.database != batch.zone.database
            } ?? false
        }
        return lost.isEmpty ? nil : .lostAssets(Set(lost))
    }

    fileprivate mutating func apply(
        _ batch: BackendBatch, _ former: MemoryBackend.Zone
    ) throws(RecordError) -> UInt64 {
        var zone = former
        var lost: Set<RandomIdentifier> = []
        for item in batch.changes {
            let row = zone.rows[item.name]
            lost.formUnion(row?.entry?.assets ?? [])
            zone.head.version += 1
            zone.head.count(item.entry, insteadOf: row?.entry)
            let content: StoredRecord.Content =
                if let entry = item.entry { .record(entry.bytes) } else {
                    .deleted(type: row?.type ?? "", time: batch.time)
                }
            zone.rows[item.name] = MemoryBackend.Row(
                stored: StoredRecord(version: zone.head.version, content), entry: item.entry)
        }
        zone.head.seal = try batch.sealing(
            former.head, zone.head, batch.changes.map { former.rows[$0.name]?.former })
        if !batch.changes.isEmpty { zone.batches[batch.identifier] = former.head.version + 1 }
        put(zone)
        free(lost)
        return former.head.version + 1
    }
}

extension MemoryBackend.Row {
    fileprivate var former: FormerRecord? {
        entry.map { FormerRecord($0.tag, version: stored.version, digest: $0.digest) }
    }

    fileprivate var type: String {
        if case .deleted(let type, _) = stored.content { type } else { entry?.type ?? "" }
    }
}

extension IndexRange {
    /// Whether a place lies in the range, and after a mark.
    fileprivate func holds(_ place: [UInt8], after mark: [UInt8]?) -> Bool {
        guard !place.lexicographicallyPrecedes(lower), place.lexicographicallyPrecedes(upper) else {
            return false
        }
        guard let mark else { return true }
        return isDescending
            ? place.lexicographicallyPrecedes(mark) : mark.lexicographicallyPrecedes(place)
    }
}
