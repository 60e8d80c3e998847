internal import Bulla

/// Loads the lane's share of the records, 10 000 a commit, as they lie in the file: in random
/// order.
final class BulkLoadLane: Lane {
    private let store: Store
    private let records: MappedRecords
    private let durability: Durability
    private let end: Int
    private var coming: Range<Int>

    init(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords) {
        self.store = store
        self.records = records
        durability = plan.durability.ofStore
        let share = plan.share(of: records.count)
        end = share.upperBound
        coming = share.lowerBound..<share.lowerBound
    }

    var work: Int { coming.count }

    func prepare(slice: Int, operations: Int) {
        let start = coming.upperBound
        coming = start..<min(start + operations * Workload.recordsPerCommit, end)
    }

    func run(_ stamps: inout Stamps) throws {
        for first in stride(
            from: coming.lowerBound, to: coming.upperBound, by: Workload.recordsPerCommit)
        {
            try load(first..<min(first + Workload.recordsPerCommit, coming.upperBound))
            stamps.mark()
        }
    }

    /// What is loaded is what the digest of the records counts already.
    func settle() throws -> Digest { Digest() }

    private func load(_ batch: Range<Int>) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.createTree(recordsTree)
            for index in batch {
                try records.withKey(index) { key in
                    try records.withValue(index) { try transaction.put(key, $0, in: tree) }
                }
            }
        }
    }
}
