internal import Bulla

/// Reads records drawn uniformly.
final class PointReadLane: Lane {
    private let plan: WorkloadPlan
    private let store: Store
    private let records: MappedRecords
    private let perSnapshot: Int
    private var keys = ByteRun()
    private var expected: UInt64 = 0
    private var seen: UInt64 = 0

    init(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords, perSnapshot: Int) {
        self.plan = plan
        self.store = store
        self.records = records
        self.perSnapshot = max(perSnapshot, 1)
    }

    var work: Int { keys.count }

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

    func run(_ stamps: inout Stamps) throws {
        let keys = keys
        var sum: UInt64 = 0
        for first in stride(from: 0, to: keys.count, by: perSnapshot) {
            let last = min(first + perSnapshot, keys.count)
            try store.read { snapshot in
                let tree = try snapshot.tree(recordsTree)
                for index in first..<last {
                    // The last read of a snapshot is charged with ending it: see below.
                    if index > first { stamps.mark() }
                    sum &+= try Self.read(keys, index, snapshot, tree)
                }
            }
            stamps.mark()
        }
        seen = sum
    }

    func settle() throws -> Digest {
        guard seen == expected else {
            throw BenchError(.digest, "\(work) reads gave other values than were written")
        }
        return Digest()
    }

    @inline(__always)
    private static func read(
        _ keys: ByteRun, _ index: Int, _ snapshot: borrowing Snapshot, _ tree: Tree
    ) throws -> UInt64 {
        // A missing record adds nothing, which the sum does not forgive.
        try keys.withBytes(index) { key in
            try snapshot.withValue(forKey: key, in: tree) { RecordHash.glance($0) } ?? 0
        }
    }
}
