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

    /// The changes that need a missing asset, or one that was uploaded for another database.
    private func lostAssets(
        over rows: [RecordRow?], in change: borrowing WriteTransaction
    ) throws -> Set<Int> {
        var lost: Set<Int> = []
        for (index, (item, former)) in zip(batch.changes, rows).enumerated() {
            let gained = item.assets.subtracting(former?.assets ?? [])
            for asset in gained where try !change.has(asset, for: zone.database) {
                lost.insert(index)
            }
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
            let new = self.row(item, over: row, version: first + UInt64(index))
            try change.replace(row, item.name, with: new, in: zone)
        }
        head.seal = try batch.sealing(former, head, rows.map { $0?.former })
        try change.put(head)
        // An empty batch is not remembered, because it can be repeated without harm, and because it
        // would have the same key in the batch feed as the next batch.
        if !batch.changes.isEmpty { try remember(first: first, in: &change) }
        return first
    }

    private func row(
        _ item: BackendBatch.Change, over former: RecordRow?, version: UInt64
    ) -> RecordRow {
        guard let entry = item.entry else {
            return RecordRow(
                version: version, .deleted(type: former?.type ?? "", time: batch.time))
        }
        return RecordRow(version: version, .entry(entry))
    }

    private func remember(first: UInt64, in change: inout WriteTransaction) throws {
        try change.remember(batch.identifier, first: first, time: batch.time, in: zone)
        try change.takeOverBatches()
        try forgetOthers(in: &change)
    }

    /// Forgets a few batches that are so old that no caller asks for their outcome any more.
    private func forgetOthers(in change: inout WriteTransaction) throws {
        let oldest = try change.batches(of: zone, after: 0, limit: 4)
        for old in oldest where old.time < batch.forgetsBefore {
            try change.delete(EmbeddedKey.batch(old.identifier, zone), in: .batches)
            try change.delete(EmbeddedKey.feed(old.first, zone), in: .batchFeed)
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
