internal import Bulla

/// Makes lanes.
enum Lanes {
    static func lane(_ plan: WorkloadPlan, _ store: Store, _ records: MappedRecords) -> any Lane {
        switch plan.workload {
        case .bulkLoad: BulkLoadLane(plan, store, records)
        case .pointRead: PointReadLane(plan, store, records, perSnapshot: plan.readsPerSnapshot)
        case .pointReadSnapshot: PointReadLane(plan, store, records, perSnapshot: 1)
        case .scan: ScanLane(plan, store, records)
        case .smallCommit: SmallCommitLane(plan, store, records)
        case .mix: MixLane(plan, store, records)
        }
    }
}

/// The tree that all workloads use.
let recordsTree: StaticString = "records"
