internal import Bulla

/// Reads all records in order.
final class ScanLane: Lane {
    private let store: Store
    private let recordCount: Int
    private let expected: UInt64
    private var operations = 0
    private var sums: [UInt64] = []

    init(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords) {
        self.store = store
        recordCount = records.count
        expected = (0..<records.count).reduce(0) { sum, index in
            sum &+ records.withKey(index) { RecordHash.glance($0) }
                &+ records.withValue(index) { RecordHash.glance($0) }
        }
    }

    var work: Int { operations * recordCount }

    func prepare(slice: Int, operations: Int) {
        self.operations = operations
        sums.removeAll(keepingCapacity: true)
        sums.reserveCapacity(operations)
    }

    func run(_ stamps: inout Stamps) throws {
        for _ in 0..<operations {
            var sum: UInt64 = 0
            try store.read { snapshot in
                let tree = try snapshot.tree(recordsTree)
                try snapshot.scan(tree) { key, value in
                    sum &+= RecordHash.glance(key) &+ RecordHash.glance(value)
                    return .next
                }
            }
            sums.append(sum)
            stamps.mark()
        }
    }

    func settle() throws -> Digest {
        guard sums.allSatisfy({ $0 == expected }) else {
            throw BenchError(.digest, "a scan gave other records than were written")
        }
        return Digest()
    }
}
