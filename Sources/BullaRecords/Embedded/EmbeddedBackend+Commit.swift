internal import Bulla

extension EmbeddedBackend {
    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        let attempt = "change zone \(batch.zone.name)"
        try batch.checkNames()
        return try write(attempt) { change in
            try change.checkHome(of: batch.zone.database, claim, isChange: true)
            return try BatchCommit(batch: batch).run(in: &change)
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        let attempt = "look up a batch of zone \(zone.name)"
        // This read also finds a batch whose commit still waits for its flush. So `wait` holds the
        // outcome back until the commit is durable.
        let (first, commit) = try read(attempt, .published) { snapshot in
            try snapshot.checkHome(of: zone.database, claim)
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
        try write("reindex records of zone \(zone.name)") { change in
            try change.checkHome(of: zone.database, claim, isChange: true)
            guard try change.head(of: zone) != nil else { return }
            try change.noteReindexing(of: zone.database)
            for record in records { try Self.reindex(record, zone, in: &change) }
        }
    }

    private static func reindex(
        _ record: ReindexedRecord, _ zone: ZoneLife, in change: inout WriteTransaction
    ) throws {
        guard let row = try change.row(record.name, zone), var entry = row.entry,
            entry.tag == record.tag
        else { return }
        for place in entry.indexes.subtracting(record.indexes) {
            try change.delete(EmbeddedKey.index(place, zone), in: .index)
        }
        for place in record.indexes.subtracting(entry.indexes) {
            try change.put([], EmbeddedKey.index(place, zone), in: .index)
        }
        entry.indexes = record.indexes
        let bytes = RecordRow(version: row.version, .entry(entry)).bytes
        try change.put(bytes, EmbeddedKey.record(record.name, zone), in: .records)
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
    var assets: Set<RandomIdentifier> { entry?.assets ?? [] }

    var type: String {
        switch state {
        case .entry(let entry): entry.type
        case .deleted(let type, _): type
        }
    }
}
