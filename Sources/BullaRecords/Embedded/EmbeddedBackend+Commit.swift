internal import Bulla

extension EmbeddedBackend {
    /// How long a batch is remembered, in milliseconds: a day and a bit.
    private static let batchMemory: Int64 = 25 * 3_600_000

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        try write("change zone \(batch.zone.name)") { change in
            if let refusal = try change.refusal(of: batch) { return refusal }
            return .committed(first: try change.apply(batch))
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        try read("look a batch of zone \(zone.name) up") { snapshot in
            try snapshot.value(EmbeddedKey.batch(batch, zone), in: .batches)?.sortedNumber(at: 0)
        }
    }

    /// Forgets a few batches of which nobody waits for a reply any more.
    fileprivate static func forgetBatches(
        before time: Int64, in change: inout WriteTransaction
    ) throws {
        var old: [[UInt8]] = []
        try change.visit(
            .batchTimes, .from([], upTo: EmbeddedKey.time(time - batchMemory, []))
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
    /// Why a batch is not committed, or that it was committed before; `nil` where it can be.
    fileprivate func refusal(of batch: BackendBatch) throws -> BatchOutcome? {
        guard let head = try head(of: batch.zone) else { return .noZone }
        let known = try value(EmbeddedKey.batch(batch.identifier, batch.zone), in: .batches)
        if let first = known?.sortedNumber(at: 0) { return .committed(first: first) }
        guard head.epoch == batch.epoch else { return .otherEpoch(head.epoch) }
        let place = batch.zone.database.place
        let schema = try document(PlaceDocument.schema, place)?.version ?? 0
        guard schema == batch.schemaVersion else { return .otherSchema(schema) }
        if let expected = batch.headVersion, expected != head.version {
            return .otherHead(head.version)
        }
        var conflicts: [Int: StoredRecord?] = [:]
        var lost: Set<Int> = []
        for (index, item) in batch.changes.enumerated() {
            let row = try row(item.name, batch.zone)
            if !item.expected.isMet(by: row) { conflicts[index] = .some(row?.stored) }
            let gained = (item.entry?.assets ?? []).subtracting(row?.entry?.assets ?? [])
            if try gained.contains(where: { try !has($0) }) { lost.insert(index) }
        }
        guard conflicts.isEmpty else { return .conflicts(conflicts) }
        return lost.isEmpty ? nil : .lostAssets(lost)
    }

    /// Makes the changes, and returns the first one's number.
    fileprivate mutating func apply(_ batch: BackendBatch) throws -> UInt64 {
        guard var head = try head(of: batch.zone) else { throw EmbeddedFault.unmet }
        let first = head.version + 1
        for item in batch.changes {
            head.version += 1
            try replace(item, version: head.version, batch)
        }
        try put(head)
        try remember(batch, first: first)
        return first
    }

    private mutating func replace(
        _ item: BackendBatch.Change, version: UInt64, _ batch: BackendBatch
    ) throws {
        let zone = batch.zone
        let former = try row(item.name, zone)
        if let former { try takeOut(former, item.name, zone) }
        // Those that both hold are held throughout.
        let (lost, gained) = (former?.entry?.assets ?? [], item.entry?.assets ?? [])
        for asset in gained.subtracting(lost) { try hold(asset) }
        for asset in lost.subtracting(gained) { try letGo(asset) }
        let name = Array(item.name.utf8)
        try put(name, EmbeddedKey.feed(version, zone), in: .feed)
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

/// What cannot be, since it was checked in the same transaction.
enum EmbeddedFault: Error {
    case unmet
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
    var type: String {
        switch state {
        case .entry(let entry): entry.type
        case .deleted(let type, _): type
        }
    }
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
