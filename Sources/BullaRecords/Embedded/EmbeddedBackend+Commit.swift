internal import Bulla

extension EmbeddedBackend {
    /// How long a batch is remembered, in milliseconds: a day and a bit.
    private static let batchMemory: Int64 = 25 * 3_600_000

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        let attempt = "change zone \(batch.zone.name)"
        try batch.checkNames()
        return try write(attempt) { change in
            guard let head = try change.head(of: batch.zone) else { return .noZone }
            let key = EmbeddedKey.batch(batch.identifier, batch.zone)
            if let first = try change.number(key, in: .batches) { return .committed(first: first) }
            if let refusal = try change.refusal(of: batch, head) { return refusal }
            let rows = try batch.changes.map { try change.row($0.name, batch.zone) }
            let conflicts = batch.conflicts(with: rows)
            guard conflicts.isEmpty else { return .conflicts(conflicts) }
            let lost = try change.lostAssets(of: batch, over: rows)
            guard lost.isEmpty else { return .lostAssets(lost) }
            return .committed(first: try change.apply(batch, over: rows, head))
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        let attempt = "look a batch of zone \(zone.name) up"
        // Whoever lost the reply while the batch waited for its flush must not hear that it is not
        // there; nor that it is, before it cannot be lost any more.
        let (first, commit) = try read(attempt, .published) { snapshot in
            let first = try snapshot.head(of: zone).flatMap { _ in
                try snapshot.number(EmbeddedKey.batch(batch, zone), in: .batches)
            }
            return (first, snapshot.commit)
        }
        if first != nil { try wait(for: commit, attempt) }
        return first
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try write("index records of zone \(zone.name) anew") { change in
            guard try change.head(of: zone) != nil else { return }
            for record in records { try change.reindex(record, zone) }
        }
    }

    /// Forgets a few batches of which nobody waits for a reply any more.
    fileprivate static func forgetBatches(
        before time: Int64, in change: inout WriteTransaction
    ) throws {
        let (end, isBelow) = time.subtractingReportingOverflow(batchMemory)
        var old: [[UInt8]] = []
        try change.visit(
            .batchTimes, .from([], upTo: EmbeddedKey.time(isBelow ? .min : end, []))
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

extension WriteTransaction {
    /// Why a batch is not committed, whatever its records are; `nil` where it can be.
    fileprivate func refusal(of batch: BackendBatch, _ head: StoredZone) throws -> BatchOutcome? {
        guard head.epoch == batch.epoch else { return .otherEpoch(head.epoch) }
        let place = batch.zone.database.place
        let schema = try document(PlaceDocument.schema, place)?.version ?? 0
        guard schema == batch.schemaVersion else { return .otherSchema(schema) }
        guard let expected = batch.headVersion, expected != head.version else { return nil }
        return .otherHead(head.version)
    }

    /// The changes that bring assets which are not there.
    fileprivate func lostAssets(
        of batch: BackendBatch, over rows: [RecordRow?]
    ) throws -> Set<Int> {
        var lost: Set<Int> = []
        for (index, (item, former)) in zip(batch.changes, rows).enumerated() {
            let gained = item.assets.subtracting(former?.assets ?? [])
            if try gained.contains(where: { try !has($0) }) { lost.insert(index) }
        }
        return lost
    }

    /// Makes the changes to what stands in `rows`, and returns the first one's number.
    fileprivate mutating func apply(
        _ batch: BackendBatch, over rows: [RecordRow?], _ head: StoredZone
    ) throws -> UInt64 {
        var head = head
        guard head.version < .max - UInt64(batch.changes.count) else {
            throw RecordError(.damaged, "change zone \(head.name): its version is beyond counting")
        }
        // An asset that goes from one record to another is held throughout, in whichever order.
        for (item, former) in zip(batch.changes, rows) {
            for asset in item.assets.subtracting(former?.assets ?? []) { try hold(asset) }
        }
        let first = head.version + 1
        for (item, former) in zip(batch.changes, rows) {
            head.version += 1
            head.count(item.entry, insteadOf: former?.entry)
            try replace(former, item, version: head.version, batch)
        }
        try put(head)
        try remember(batch, first: first)
        return first
    }

    private mutating func replace(
        _ former: RecordRow?, _ item: BackendBatch.Change, version: UInt64, _ batch: BackendBatch
    ) throws {
        let zone = batch.zone
        if let former {
            try takeOut(former, item.name, zone)
            for asset in former.assets.subtracting(item.assets) { try letGo(asset) }
        }
        let name = Array(item.name.utf8)
        guard try insert(name, EmbeddedKey.feed(version, zone), in: .feed) else {
            throw RecordError(.damaged, "change zone \(zone.name): its head is behind its feed")
        }
        let row: RecordRow
        if let entry = item.entry {
            row = RecordRow(version: version, .entry(entry))
            for place in entry.indexes { try put([], EmbeddedKey.index(place, zone), in: .index) }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try put([], prefix + name, in: .referrers)
            }
        } else {
            let type = former?.type ?? ""
            row = RecordRow(version: version, .deleted(type: type, time: batch.time))
            try put(name, EmbeddedKey.deletion(batch.time, version, zone), in: .deletions)
        }
        try put(row.bytes, EmbeddedKey.record(item.name, zone), in: .records)
    }

    fileprivate mutating func reindex(_ record: ReindexedRecord, _ zone: ZoneLife) throws {
        guard let row = try row(record.name, zone), var entry = row.entry, entry.tag == record.tag
        else { return }
        for place in entry.indexes.subtracting(record.indexes) {
            try delete(EmbeddedKey.index(place, zone), in: .index)
        }
        for place in record.indexes.subtracting(entry.indexes) {
            try put([], EmbeddedKey.index(place, zone), in: .index)
        }
        entry.indexes = record.indexes
        let bytes = RecordRow(version: row.version, .entry(entry)).bytes
        try put(bytes, EmbeddedKey.record(record.name, zone), in: .records)
    }

    /// Takes a record out of everything that it stands in besides its own row.
    private mutating func takeOut(
        _ row: RecordRow, _ name: String, _ zone: ZoneLife
    ) throws(BullaError) {
        try delete(EmbeddedKey.feed(row.version, zone), in: .feed)
        switch row.state {
        case .deleted(_, let time):
            try delete(EmbeddedKey.deletion(time, row.version, zone), in: .deletions)
        case .entry(let entry):
            for place in entry.indexes { try delete(EmbeddedKey.index(place, zone), in: .index) }
            for edge in entry.references {
                let prefix = EmbeddedKey.referrers(edge.target, edge.action, zone)
                try delete(prefix + Array(name.utf8), in: .referrers)
            }
        }
    }

    private mutating func remember(_ batch: BackendBatch, first: UInt64) throws {
        let key = EmbeddedKey.batch(batch.identifier, batch.zone)
        var row: [UInt8] = []
        row.append(sorted: first)
        try put(row, key, in: .batches)
        try put([], EmbeddedKey.time(batch.time, key), in: .batchTimes)
        try EmbeddedBackend.forgetBatches(before: batch.time, in: &self)
    }
}

extension TreeReader where Self: ~Copyable {
    func row(_ name: String, _ zone: ZoneLife) throws -> RecordRow? {
        guard let bytes = try value(EmbeddedKey.record(name, zone), in: .records) else {
            return nil
        }
        return try RecordRow(bytes, name)
    }
}

extension RecordRow {
    fileprivate var assets: Set<RandomIdentifier> { entry?.assets ?? [] }

    var type: String {
        switch state {
        case .entry(let entry): entry.type
        case .deleted(let type, _): type
        }
    }
}

extension BackendBatch {
    /// What stands where something else was expected.
    fileprivate func conflicts(with rows: [RecordRow?]) -> [Int: StoredRecord?] {
        var conflicts: [Int: StoredRecord?] = [:]
        for (index, row) in rows.enumerated() where !changes[index].expected.isMet(by: row) {
            conflicts[index] = .some(row?.stored)
        }
        return conflicts
    }
}

extension BackendBatch.Change {
    fileprivate var assets: Set<RandomIdentifier> { entry?.assets ?? [] }
}

extension BackendBatch.Expectation {
    /// Whether what stands there is what was expected.
    func isMet(by row: RecordRow?) -> Bool {
        switch self {
        case .anything: true
        case .nothing: row?.entry == nil
        case .tag(let tag): row?.entry?.tag == tag
        }
    }
}
