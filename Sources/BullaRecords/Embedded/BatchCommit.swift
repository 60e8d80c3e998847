internal import Bulla

/// The commit of a batch of changes to a zone.
struct BatchCommit {
    let batch: BackendBatch

    private var zone: ZoneLife { batch.zone }

    /// Makes the changes, unless they were made before, or the present state differs from what they
    /// require.
    func run(in change: inout WriteTransaction) throws -> BatchOutcome {
        guard let head = try change.head(of: zone) else { return .noZone }
        let key = EmbeddedKey.batch(batch.identifier, zone)
        if let first = try change.number(key, in: .batches) { return .committed(first: first) }
        if let refusal = try refusal(head, in: change) { return refusal }
        let rows = try batch.changes.map { try change.row($0.name, zone) }
        let conflicts = batch.conflicts(with: rows)
        guard conflicts.isEmpty else { return .conflicts(conflicts) }
        let lost = try lostAssets(over: rows, in: change)
        guard lost.isEmpty else { return .lostAssets(lost) }
        return .committed(first: try apply(over: rows, head, in: &change))
    }

    /// Why the batch cannot be committed, whatever state its records are in; `nil` if there is no
    /// such reason.
    private func refusal(
        _ head: StoredZone, in change: borrowing WriteTransaction
    ) throws -> BatchOutcome? {
        guard head.epoch == batch.epoch else { return .otherEpoch(head.epoch) }
        let place = zone.database.place
        let schema = try change.document(PlaceDocument.schema, place)?.version ?? 0
        guard schema == batch.schemaVersion else { return .otherSchema(schema) }
        guard let expected = batch.headVersion, expected != head.version else { return nil }
        return .otherHead(head.version)
    }

    /// The changes that need assets which do not exist.
    private func lostAssets(
        over rows: [RecordRow?], in change: borrowing WriteTransaction
    ) throws -> Set<Int> {
        var lost: Set<Int> = []
        for (index, (item, former)) in zip(batch.changes, rows).enumerated() {
            let gained = item.assets.subtracting(former?.assets ?? [])
            for asset in gained where try !change.has(asset) { lost.insert(index) }
        }
        return lost
    }

    /// Makes the changes to the records in `rows`, and returns the version of the first change.
    private func apply(
        over rows: [RecordRow?], _ head: StoredZone, in change: inout WriteTransaction
    ) throws -> UInt64 {
        let former = head
        var head = head
        try head.count(UInt64(batch.changes.count))
        // The new holders are counted first, so that an asset that moves between records is never
        // freed.
        for (item, former) in zip(batch.changes, rows) {
            for asset in item.assets.subtracting(former?.assets ?? []) { try change.hold(asset) }
        }
        let first = former.version + 1
        for (index, (item, row)) in zip(batch.changes, rows).enumerated() {
            head.count(item.entry, insteadOf: row?.entry)
            try replace(row, item, version: first + UInt64(index), in: &change)
        }
        head.seal = try batch.sealing(former, head, rows.map { $0?.former })
        try change.put(head)
        try remember(first: first, in: &change)
        return first
    }

    private func replace(
        _ former: RecordRow?, _ item: BackendBatch.Change, version: UInt64,
        in change: inout WriteTransaction
    ) throws {
        if let former {
            try takeOut(former, item.name, of: &change)
            for asset in former.assets.subtracting(item.assets) { try change.letGo(asset) }
        }
        let name = Array(item.name.utf8)
        guard try change.insert(name, EmbeddedKey.feed(version, zone), in: .feed) else {
            throw RecordError(.damaged, "change zone \(zone.name): its head is behind its feed")
        }
        let row: RecordRow
        if let entry = item.entry {
            row = RecordRow(version: version, .entry(entry))
            for place in entry.indexes {
                try change.put([], EmbeddedKey.index(place, zone), in: .index)
            }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try change.put([], prefix + name, in: .referrers)
            }
        } else {
            let type = former?.type ?? ""
            row = RecordRow(version: version, .deleted(type: type, time: batch.time))
            try change.put(name, EmbeddedKey.deletion(batch.time, version, zone), in: .deletions)
        }
        try change.put(row.bytes, EmbeddedKey.record(item.name, zone), in: .records)
    }

    /// Removes a record's keys from the feed, the indexes, the references and the deletions.
    private func takeOut(
        _ row: RecordRow, _ name: String, of change: inout WriteTransaction
    ) throws(BullaError) {
        try change.delete(EmbeddedKey.feed(row.version, zone), in: .feed)
        switch row.state {
        case .deleted(_, let time):
            try change.delete(EmbeddedKey.deletion(time, row.version, zone), in: .deletions)
        case .entry(let entry):
            for place in entry.indexes {
                try change.delete(EmbeddedKey.index(place, zone), in: .index)
            }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try change.delete(prefix + Array(name.utf8), in: .referrers)
            }
        }
    }

    private func remember(first: UInt64, in change: inout WriteTransaction) throws {
        let key = EmbeddedKey.batch(batch.identifier, zone)
        var row: [UInt8] = []
        row.append(sorted: first)
        try change.put(row, key, in: .batches)
        try change.put([], EmbeddedKey.time(batch.time, key), in: .batchTimes)
        try forgetOthers(in: &change)
    }

    /// Forgets a few batches that are so old that no caller asks for their outcome any more.
    private func forgetOthers(in change: inout WriteTransaction) throws {
        var old: [[UInt8]] = []
        try change.visit(
            .batchTimes, .from([], upTo: EmbeddedKey.time(batch.forgetsBefore, []))
        ) { key, _ in
            old.append(key)
            return old.count < 4 ? .next : .stop
        }
        for key in old {
            try change.delete(key, in: .batchTimes)
            try change.delete(Array(key.dropFirst(8)), in: .batches)
        }
    }
}

extension BackendBatch {
    /// The changes whose records are not in the expected state, each with what is stored under its
    /// record's name.
    fileprivate func conflicts(with rows: [RecordRow?]) -> [Int: StoredRecord?] {
        var conflicts: [Int: StoredRecord?] = [:]
        for (index, row) in rows.enumerated()
        where !changes[index].expected.isMet(by: row?.entry?.tag) {
            conflicts[index] = .some(row?.stored)
        }
        return conflicts
    }
}

extension BackendBatch.Change {
    fileprivate var assets: Set<RandomIdentifier> { entry?.assets ?? [] }
}
