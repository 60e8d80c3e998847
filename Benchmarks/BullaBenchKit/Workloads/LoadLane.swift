/// Loads the lane's share of the records, 10 000 a commit, as they lie in the file: in random
/// order.
final class LoadLane: Lane {
    private let records: MappedRecords
    private let end: Int
    private var coming: Range<Int>

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        self.records = records
        let share = plan.share(of: records.count)
        end = share.upperBound
        coming = share.lowerBound..<share.lowerBound
    }

    var work: Int { coming.count }
    var stepCount: Int {
        (coming.count + Workload.recordsPerCommit - 1) / Workload.recordsPerCommit
    }

    func prepare(slice: Int, operations: Int) {
        let start = coming.upperBound
        coming = start..<min(start + operations * Workload.recordsPerCommit, end)
    }

    func run(
        _ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally
    ) throws {
        for step in steps {
            let first = coming.lowerBound + step * Workload.recordsPerCommit
            try session.load(
                records, first..<min(first + Workload.recordsPerCommit, coming.upperBound))
            tally.mark()
        }
    }

    /// What is loaded is what the digest of the records counts already.
    func settle(_ tally: borrowing Tally) throws -> Digest { Digest() }
}
