/// Reads records drawn uniformly, some hundred in one call.
final class BatchedReadLane: Lane {
    private let plan: WorkloadPlan
    private let records: MappedRecords
    private var batches: [[[UInt8]]] = []
    private var expected: UInt64 = 0

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        self.plan = plan
        self.records = records
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

    func run(
        _ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally
    ) throws {
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
