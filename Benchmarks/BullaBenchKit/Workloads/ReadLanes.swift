internal import BullaText

/// Reads records drawn uniformly, a fixed number of them in each snapshot or each call.
final class ReadLane: Lane {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private let perSnapshot: Int
    private let isBatched: Bool
    private var keys = ByteRun()
    private var batches: [[[UInt8]]] = []
    private var makesArrays = true
    private var expected: UInt64 = 0

    init(_ plan: WorkloadPlan, _ records: MappedRecords, perSnapshot: Int, isBatched: Bool) {
        (self.plan, self.records, self.isBatched) = (plan, records, isBatched)
        self.perSnapshot = max(perSnapshot, 1)
    }

    var work: Int { keys.count }
    var stepCount: Int { isBatched ? keys.count / perSnapshot : keys.count }

    func prepare(slice: Int, operations: Int) {
        var random = plan.random(slice: slice)
        keys.removeAll()
        expected = 0
        for _ in 0..<(isBatched ? operations * perSnapshot : operations) {
            let index = random.below(records.count)
            records.withKey(index) { keys.append($0) }
            expected &+= records.withValue(index) { RecordHash.glance($0) }
        }
        batches = (0..<(isBatched && makesArrays ? operations : 0)).map { batch in
            range(batch).map { index in keys.withBytes(index) { [UInt8]($0) } }
        }
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        guard isBatched else {
            // In an open loop, each read has its own call, so that all are timed, not only samples.
            tally.sample(plan.rate == nil)
            try session.read(keys, steps, perSnapshot: perSnapshot, &tally)
            return tally.endReads()
        }
        makesArrays = session.takesKeyArrays
        for step in steps {
            let arrays = makesArrays ? batches[step] : []
            try session.readBatch(keys, range(step), arrays: arrays, &tally)
            tally.mark()
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected, tally.missedCount == 0 else {
            throw BenchError(.digest, "\(work) reads did not give the values that were written")
        }
        return Digest()
    }

    private func range(_ batch: Int) -> Range<Int> {
        batch * perSnapshot..<(batch + 1) * perSnapshot
    }
}

final class ScanLane: Lane {
    private let recordCount: Int
    private let expected: UInt64
    private let noKeys = ByteRun()
    private(set) var stepCount = 0

    init(_ records: MappedRecords) {
        recordCount = records.count
        expected = (0..<records.count).reduce(0) { sum, index in
            sum &+ records.withKey(index) { RecordHash.glance($0) }
                &+ records.withValue(index) { RecordHash.glance($0) }
        }
    }

    var work: Int { stepCount * recordCount }
    func prepare(slice: Int, operations: Int) { stepCount = operations }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for _ in steps {
            try session.scan(noKeys, from: nil, limit: .max, &tally)
            tally.mark()
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected &* UInt64(stepCount), tally.seenCount == work else {
            throw BenchError(.digest, "a scan did not give the records that were written")
        }
        return Digest()
    }
}
