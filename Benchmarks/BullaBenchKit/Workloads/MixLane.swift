internal import Bulla

/// Reads or changes one record at a time, half and half: YCSB's workload A.
///
/// Records are drawn as YCSB draws them (scrambled zipfian, theta 0.99). A read looks at any
/// record, in a snapshot of its own; a change goes to the lane's own record nearest to the one
/// drawn, in a commit of its own (see ``WorkloadPlan``), where YCSB's clients may change any.
final class MixLane: Lane {
    private enum Operation {
        case read(key: Int)
        case change(key: Int, value: Int)
    }

    private let plan: WorkloadPlan
    private let store: Store
    private let records: MappedRecords
    private let popular: ScrambledZipfian
    private var versions: RecordVersions
    private var operations: [Operation] = []
    private var keys = ByteRun()
    private var values = ByteRun()
    private var expectedByteCount = 0
    private var byteCount = 0

    init(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords) {
        self.plan = plan
        self.store = store
        self.records = records
        popular = ScrambledZipfian(count: records.count)
        versions = RecordVersions(records)
    }

    var work: Int { operations.count }

    func prepare(slice: Int, operations count: Int) {
        var random = plan.random(slice: slice)
        operations.removeAll(keepingCapacity: true)
        keys.removeAll()
        values.removeAll()
        expectedByteCount = 0
        for _ in 0..<count {
            let index = popular.next(&random)
            random.below(2) == 0 ? prepareRead(index) : prepareChange(index)
        }
    }

    func run(_ stamps: inout Stamps) throws {
        let (keys, values) = (keys, values)
        let durability = plan.durability.ofStore
        var sum = 0
        for operation in operations {
            switch operation {
            case .read(let key): sum += try read(keys, key)
            case .change(let key, let value): try store.commit(keys, key, values, value, durability)
            }
            stamps.mark()
        }
        byteCount = sum
    }

    func settle() throws -> Digest {
        // Another lane may have changed what was read, but no change alters a length.
        guard byteCount == expectedByteCount else {
            throw BenchError(.digest, "reads gave values of other lengths than were written")
        }
        return versions.takeChange()
    }

    /// Changes only: the median of reads and changes together would lie in the gap between them,
    /// and jump from one to the other.
    func isTold(_ index: Int) -> Bool {
        if case .change = operations[index] { return true }
        return false
    }

    private func prepareRead(_ index: Int) {
        operations.append(.read(key: keys.count))
        records.withKey(index) { keys.append($0) }
        expectedByteCount += records.withValue(index) { $0.byteCount }
    }

    private func prepareChange(_ index: Int) {
        let own = plan.own(index, of: records.count)
        operations.append(.change(key: keys.count, value: values.count))
        records.withKey(own) { keys.append($0) }
        versions.advance(own, into: &values)
    }

    @inline(__always)
    private func read(_ keys: ByteRun, _ index: Int) throws -> Int {
        try store.read { snapshot in
            let tree = try snapshot.tree(recordsTree)
            return try keys.withBytes(index) { key in
                try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? -1
            }
        }
    }
}
