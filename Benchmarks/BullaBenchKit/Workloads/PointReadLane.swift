/// Reads records drawn uniformly.
final class PointReadLane: Lane {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private let perSnapshot: Int
    private var keys = ByteRun()
    private var expected: UInt64 = 0

    init(
        _ plan: WorkloadPlan, _ records: MappedRecords,
        perSnapshot: Int
    ) {
        self.plan = plan
        self.records = records
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

    func run(
        _ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally
    ) throws {
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
