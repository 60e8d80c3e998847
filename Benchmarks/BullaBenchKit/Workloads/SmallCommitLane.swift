internal import Bulla

/// Changes one record a commit, drawn uniformly from the lane's own.
final class SmallCommitLane: Lane {
    private let plan: WorkloadPlan
    private let store: Store
    private let records: MappedRecords
    private var versions: RecordVersions
    private var keys = ByteRun()
    private var values = ByteRun()

    init(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords) {
        self.plan = plan
        self.store = store
        self.records = records
        versions = RecordVersions(records)
    }

    var work: Int { keys.count }

    func prepare(slice: Int, operations: Int) {
        var random = plan.random(slice: slice)
        keys.removeAll()
        values.removeAll()
        for _ in 0..<operations {
            let index = plan.own(random.below(records.count), of: records.count)
            records.withKey(index) { keys.append($0) }
            versions.advance(index, into: &values)
        }
    }

    func run(_ stamps: inout Stamps) throws {
        let (keys, values) = (keys, values)
        let durability = plan.durability.ofStore
        for index in 0..<keys.count {
            try store.commit(keys, index, values, index, durability)
            stamps.mark()
        }
    }

    func settle() throws -> Digest { versions.takeChange() }
}

extension Store {
    /// One commit of one record.
    @inline(__always)
    func commit(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ durability: Durability
    ) throws {
        try write(durability: durability) { transaction in
            let tree = try transaction.tree(recordsTree)
            try keys.withBytes(key) { key in
                try values.withBytes(value) { try transaction.put(key, $0, in: tree) }
            }
        }
    }
}
