internal import BullaText

final class PointReadLane: Lane {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private let perSnapshot: Int
    private var keys = ByteRun()
    private var expected: UInt64 = 0

    init(_ plan: WorkloadPlan, _ records: MappedRecords, perSnapshot: Int) {
        (self.plan, self.records) = (plan, records)
        self.perSnapshot = max(perSnapshot, 1)
    }

    var work: Int { keys.count }
    var stepCount: Int { keys.count }

    func prepare(slice: Int, operations: Int) {
        var random = plan.random(slice: slice)
        keys.removeAll()
        expected = 0
        for _ in 0..<operations {
            let index = random.below(records.count)
            records.withKey(index) { keys.append($0) }
            expected &+= records.withValue(index) { RecordHash.glance($0) }
        }
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for first in stride(from: steps.lowerBound, to: steps.upperBound, by: perSnapshot) {
            try session.read(keys, first..<min(first + perSnapshot, steps.upperBound), &tally)
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected, tally.missedCount == 0 else {
            throw BenchError(.digest, "\(work) reads gave other values than were written")
        }
        return Digest()
    }
}

/// Reads records drawn uniformly, some hundred in one call.
final class BatchedReadLane: Lane {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private var batches: [[[UInt8]]] = []
    private var expected: UInt64 = 0

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        (self.plan, self.records) = (plan, records)
    }

    var work: Int { batches.count * plan.readsPerBatch }
    var stepCount: Int { batches.count }

    func prepare(slice: Int, operations: Int) {
        var random = plan.random(slice: slice)
        expected = 0
        batches = (0..<operations).map { _ in
            (0..<plan.readsPerBatch).map { _ in
                let index = random.below(records.count)
                expected &+= records.withValue(index) { RecordHash.glance($0) }
                return records.withKey(index) { [UInt8]($0) }
            }
        }
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for batch in batches[steps] {
            try session.readBatch(batch, &tally)
            tally.mark()
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected, tally.missedCount == 0 else {
            throw BenchError(.digest, "\(work) reads gave other values than were written")
        }
        return Digest()
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
            throw BenchError(.digest, "a scan gave other records than were written")
        }
        return Digest()
    }
}
