internal import BullaRecords
internal import BullaTestSupport

extension BackendModel {
    mutating func commit() -> BackendStep {
        let life = life()
        let names = Set((0...bench.random.below(5)).map { _ in recordName() }).sorted()
        let changes = names.map { change($0, in: life) }
        let head = (try? bench.backend.zone(named: life.name, in: life.database)) ?? nil
        let (epoch, version) = (head?.epoch ?? 1, head?.version ?? 0)
        let isOdd = bench.random.isOne(in: 30)
        let batch = BackendBatch(
            life, identifier: bench.identifier(), epoch: isOdd ? epoch + 1 : epoch,
            schemaVersion: bench.random.isOne(in: 40) ? 0 : schemaVersion,
            headVersion: pick([nil, nil, nil, version, bench.random.isOne(in: 9) ? 0 : version])
                ?? nil,
            time: bench.time, changes: changes, sealing: BackendBench.sealing)
        keep(batch, in: \.batches)
        return BackendStep("commit \(names) in zone \(life.name)") { backend throws(RecordError) in
            .batch(try backend.commit(batch))
        }
    }

    /// A change that expects the record's current state, or a random one.
    private mutating func change(_ name: String, in life: ZoneLife) -> BackendBatch.Change {
        let isThere = ((try? bench.record(name, in: life)) ?? nil)?.bytes != nil
        let known = isThere ? currentTag(name, life) : nil
        var expected: BackendBatch.Expectation = known.map { .tag($0) } ?? .nothing
        switch bench.random.below(12) {
        case 0..<3: expected = .anything
        case 3 where bench.random.isOne(in: 4): expected = .nothing
        case 4 where bench.random.isOne(in: 4): expected = .tag(bench.tag())
        default: break
        }
        guard !bench.random.isOne(in: 5) else {
            return BackendBatch.Change(name, expected: expected, entry: nil)
        }
        let entry = entry(name, in: life.database)
        return BackendBatch.Change(name, expected: expected, entry: entry)
    }

    /// The tag of a record, which is at the beginning of the bytes that the model saves in it.
    private func currentTag(_ name: String, _ life: ZoneLife) -> ChangeTag? {
        guard let bytes = ((try? bench.record(name, in: life)) ?? nil)?.bytes else { return nil }
        return ChangeTag(bytes: Array(bytes.prefix(ChangeTag.byteCount)))
    }

    private mutating func entry(_ name: String, in database: Database) -> RecordEntry {
        let type = bench.random.pick(["A", "Ab", "B"])
        let places = (0..<bench.random.below(4)).map { _ in
            IndexKey.place(value(), of: bench.random.pick(["f", "ff"]), type, record: name)
        }
        let edges = (0..<bench.random.below(3)).map { _ in
            ReferenceEdge(
                target: recordName(), bench.random.pick(RecordReference.Action.allCases))
        }
        let held = (0..<bench.random.below(3)).compactMap { _ in
            bench.random.isOne(in: 3) ? pick(uploads) : nil
        }.filter { upload in
            let chunks = (0..<3 as Range<UInt32>).map {
                try? bench.backend.chunk($0, of: upload.asset, in: upload.database)
            }
            let isThere = chunks.contains { $0 != nil } && upload.database == database
            return isThere || bench.random.isOne(in: 20)
        }
        var entry = bench.entry(
            type, indexes: Set(places), references: Set(edges), assets: Set(held.map(\.asset)))
        entry.bytes = entry.tag.bytes + entry.bytes
        return entry
    }

    private mutating func value() -> RecordValue {
        switch bench.random.below(4) {
        case 0: .int64(Int64(bench.random.below(9)) - 4)
        case 1: .string(String(repeating: "\0", count: bench.random.below(3)))
        case 2: .double(Double(bench.random.below(9) - 4) / 2)
        default: .bytes(bench.random.bytes(bench.random.below(3)))
        }
    }

    /// Repeats a batch, or asks for its outcome.
    mutating func again() -> BackendStep {
        guard let batch = pick(batches) else { return commit() }
        if bench.random.isOne(in: 2) {
            return BackendStep("commit again") { backend throws(RecordError) in
                .batch(try backend.commit(batch))
            }
        }
        return BackendStep("ask for a batch") { backend throws(RecordError) in
            .number(try backend.outcome(of: batch.identifier, in: batch.zone))
        }
    }

    mutating func contents() -> BackendStep {
        let life = life()
        return BackendStep("read zone \(life.name)") { backend throws(RecordError) in
            var names: [String] = []
            var records: [StoredRecord?] = []
            let head = try backend.contents(of: life) { name, record in
                names.append(name)
                records.append(record)
            }
            return .contents(head, names, records)
        }
    }

    mutating func records() -> BackendStep {
        let life = life()
        let names = (0..<bench.random.below(8)).map { _ in recordName() }
        return BackendStep("read \(names)") { backend throws(RecordError) in
            .records(try backend.records(names, in: life))
        }
    }

    mutating func changes() -> BackendStep {
        let (life, limit) = (life(), limit())
        let version = UInt64(bench.random.below(bench.random.pick([1, 10, 100, 1_000])))
        return BackendStep("follow from \(version)") { backend throws(RecordError) in
            .changes(try backend.changes(in: life, after: version, limit: limit))
        }
    }

    mutating func scan() -> BackendStep {
        let (life, limit) = (life(), limit())
        let (type, field) = (bench.random.pick(["A", "Ab", "B"]), bench.random.pick(["f", "ff"]))
        var range = IndexKey.field(field, of: type)
        switch bench.random.below(4) {
        case 0: range = IndexKey.value(value(), of: field, type)
        case 1:
            let (from, to) = (value(), value())
            range = IndexRange(
                IndexKey.prefix(type, field) + IndexKey.ordered(from),
                upTo: IndexKey.prefix(type, field) + IndexKey.ordered(to))
        case 2: range = IndexRange([], upTo: [255])
        default: break
        }
        if bench.random.isOne(in: 2) { range = range.reversed }
        let mark = bench.random.isOne(in: 2) ? pick(marks) : nil
        return BackendStep("scan \(type).\(field)") { [range] backend throws(RecordError) in
            .places(try backend.scan(range, in: life, after: mark, limit: limit))
        }
    }

    mutating func referrers() -> BackendStep {
        let (life, name, limit) = (life(), recordName(), limit())
        let action = bench.random.pick(RecordReference.Action.allCases)
        return BackendStep("who names \(name)") { backend throws(RecordError) in
            .names(try backend.referrers(of: name, action, in: life, limit: limit))
        }
    }
}
