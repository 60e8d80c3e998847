internal import BullaText

/// What workers do to a store.
package enum Workload: String, Codable, CaseIterable, NamedInLists {
    /// Loads all records into an empty store, in random order, 10 000 per commit.
    case load
    /// Reads records drawn uniformly, many in one snapshot.
    case pointRead = "point-read"
    /// Reads records drawn uniformly, with a new snapshot for each.
    case pointReadSnapshot = "point-read-snapshot"
    /// Reads records drawn uniformly, a hundred in one call, with a new snapshot for each call.
    case batchedRead = "batched-read"
    /// Reads all records in order, with a new snapshot for each scan.
    case scan
    /// As `scan`, in a store that was just opened.
    case coldScan = "cold-scan"
    /// Changes one record, drawn uniformly from the thread's own, and commits.
    case smallCommit = "small-commit"
    /// As `smallCommit`, without waiting for the disk.
    case smallCommitRelaxed = "small-commit-relaxed"
    /// Writes values of some megabytes, and reads them back.
    case largeValue = "large-value"
    case ycsbA = "ycsb-a"
    case ycsbB = "ycsb-b"
    case ycsbC = "ycsb-c"
    case ycsbD = "ycsb-d"
    case ycsbE = "ycsb-e"
    case ycsbF = "ycsb-f"
    /// Replays the operations of a trace; those on the same key keep their order.
    case replay

    package static let usual: [Workload] = [
        .load, .pointRead, .pointReadSnapshot, .scan, .smallCommit, .ycsbA,
    ]

    package static let listed = allCases
    /// All workloads except the replay, which needs a trace.
    package static let all = allCases.filter { $0 != .replay }

    package static let recordsPerCommit = 10_000

    /// Whether it starts with an empty store; other workloads start with all records.
    package var startsEmpty: Bool { self == .load }

    /// The published mix of operations; nil for workloads that are not YCSB's.
    package var ycsb: YCSBMix? { YCSBMix.published[self] }

    /// Whether it commits, in which case durability is a part of its regime.
    package var writes: Bool {
        switch self {
        case .load, .smallCommit, .smallCommitRelaxed, .largeValue, .replay: true
        case .pointRead, .pointReadSnapshot, .batchedRead, .scan, .coldScan: false
        default: ycsb?.writes ?? false
        }
    }

    /// When a commit returns; nil if the options decide.
    package var durability: BenchDurability? { self == .smallCommitRelaxed ? .relaxed : nil }

    /// The temperatures at which the workload is measured, given those that the options ask for.
    package func temperatures(_ asked: [Temperature]) -> [Temperature] {
        switch self {
        case .load: [.empty]
        case .coldScan: asked.contains(.disk) ? [.cold, .disk] : [.cold]
        default: asked
        }
    }

    package var unit: String {
        switch self {
        case .load, .scan, .coldScan: "records"
        case .pointRead, .pointReadSnapshot, .batchedRead: "reads"
        case .smallCommit, .smallCommitRelaxed: "commits"
        case .largeValue: "bytes"
        default: "operations"
        }
    }

    /// What one latency measures, for texts such as "latency of one commit".
    package var step: String {
        switch self {
        case .load: "commit of \(Self.recordsPerCommit) records"
        case .pointRead: "read"
        case .pointReadSnapshot: "snapshot and read"
        case .batchedRead: "batch of reads"
        case .scan, .coldScan: "scan of all records"
        case .smallCommit, .smallCommitRelaxed: "commit"
        case .largeValue: "write of one value"
        case .replay: "operation"
        default: ycsb?.toldOperation ?? "operation"
        }
    }

    /// The number of operations in a first, short slice, by which later slices are calibrated.
    package var pilotOperations: Int {
        switch self {
        case .load, .scan, .coldScan: 1
        case .pointRead, .pointReadSnapshot, .ycsbC: 1_000
        case .batchedRead: 16
        case .largeValue: 2
        default: 32
        }
    }
}

/// What one lane needs to know to do its part of a workload.
///
/// A lane is one thread of one worker. Lanes are numbered across all workers. All lanes read all
/// records, but only lane `l` of `n` changes the records `l`, `l + n`, `l + 2n` and so on. So the
/// final content of the store does not depend on the order of the lanes.
package struct WorkloadPlan: Codable, Sendable {
    package var workload: Workload
    package var lane: Int
    package var laneCount: Int
    package var seed: UInt64
    package var shard = Shard.whole
    package var readsPerSnapshot = 1
    package var readsPerBatch = 100
    package var largeValueByteCount = 4 << 20
    /// How many fields each generated record has, whether it is loaded or inserted by a workload.
    package var fieldCount = 1
    package var fieldByteCount = 100
    /// Operations per second of this lane in an open loop; nil in a closed loop.
    package var rate: Double?
    package var tracePath: String?
    /// By what share each slice is made longer, to check the instrument.
    package var slowdown = 0.0

    package init(_ workload: Workload, lane: Int, laneCount: Int, seed: UInt64) {
        (self.workload, self.lane, self.laneCount, self.seed) = (workload, lane, laneCount, seed)
    }

    /// The lane's number among all lanes of the run, including those of other shards.
    var number: Int { shard.index * laneCount + lane }

    /// The stream of random numbers of one slice: the same for all contenders.
    func random(slice: Int) -> Random {
        Random(seed, UInt64(lane), UInt64(slice), UInt64(shard.index))
    }

    /// The index of a record of this lane, less than `laneCount` away from `index`.
    package func own(_ index: Int, of count: Int) -> Int {
        let candidate = index / laneCount * laneCount + lane
        return candidate < count ? candidate : candidate - laneCount
    }

    package func share(of count: Int) -> Range<Int> {
        count * lane / laneCount..<count * (lane + 1) / laneCount
    }

    func lane(_ records: MappedRecords) throws -> any Lane {
        switch workload {
        case .load: LoadLane(self, records)
        case .pointRead: ReadLane(self, records, perSnapshot: readsPerSnapshot, isBatched: false)
        case .pointReadSnapshot: ReadLane(self, records, perSnapshot: 1, isBatched: false)
        case .batchedRead:
            ReadLane(self, records, perSnapshot: readsPerBatch, isBatched: true)
        case .scan, .coldScan: ScanLane(records)
        case .smallCommit, .smallCommitRelaxed: OperationLane(UniformChanges(self, records))
        case .largeValue: LargeValueLane(self)
        case .replay: OperationLane(try TraceSource(self, records))
        case .ycsbA, .ycsbB, .ycsbC, .ycsbD, .ycsbE, .ycsbF:
            OperationLane(YCSBSource(self, workload.ycsb ?? YCSBMix(), records))
        }
    }
}
