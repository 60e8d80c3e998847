/// What workers do to a store.
package enum Workload: String, Codable, CaseIterable, Sendable {
    /// All records, in random order, 10 000 a commit, into an empty store.
    case load
    /// Records drawn uniformly, many in one snapshot.
    case pointRead = "point-read"
    /// Records drawn uniformly, a new snapshot for each.
    case pointReadSnapshot = "point-read-snapshot"
    /// Records drawn uniformly, a hundred in one call, a new snapshot for each call.
    case batchedRead = "batched-read"
    /// All records in order, a new snapshot for each scan.
    case scan
    /// The same, in a store that was just opened.
    case coldScan = "cold-scan"
    /// One record changed, drawn uniformly from the thread's own, and committed.
    case smallCommit = "small-commit"
    /// The same, without waiting for the disk.
    case smallCommitRelaxed = "small-commit-relaxed"
    /// Values of some megabytes, written and read back.
    case largeValue = "large-value"
    case ycsbA = "ycsb-a"
    case ycsbB = "ycsb-b"
    case ycsbC = "ycsb-c"
    case ycsbD = "ycsb-d"
    case ycsbE = "ycsb-e"
    case ycsbF = "ycsb-f"
    /// The operations of a trace, each key's in their order.
    case replay

    /// What a run takes where nothing is asked for.
    package static let usual: [Workload] = [
        .load, .pointRead, .pointReadSnapshot, .scan, .smallCommit, .ycsbA,
    ]

    /// The workloads that `text` names, with commas between them, each once; nil where it names
    /// another.
    ///
    /// `all` names all but the replay, which needs a trace.
    package static func list(_ text: String) -> [Workload]? {
        if text == "all" { return allCases.filter { $0 != .replay } }
        let list = text.split(separator: ",").map { Workload(rawValue: String($0)) }
        guard !list.isEmpty, !list.contains(nil) else { return nil }
        return allCases.filter { list.contains($0) }
    }

    package static let recordsPerCommit = 10_000

    /// Starts from an empty store; the others from one that holds all records.
    package var startsEmpty: Bool { self == .load }

    /// The published mix of operations; nil for what is not YCSB's.
    package var ycsb: YCSBMix? {
        switch self {
        case .ycsbA: .a
        case .ycsbB: .b
        case .ycsbC: .c
        case .ycsbD: .d
        case .ycsbE: .e
        case .ycsbF: .f
        default: nil
        }
    }

    /// Commits, so that durability is part of its regime.
    package var writes: Bool {
        switch self {
        case .load, .smallCommit, .smallCommitRelaxed, .largeValue, .replay: true
        case .pointRead, .pointReadSnapshot, .batchedRead, .scan, .coldScan: false
        default: ycsb?.writes ?? false
        }
    }

    /// What a commit waits for, where the workload itself says so.
    package var durability: BenchDurability? { self == .smallCommitRelaxed ? .relaxed : nil }

    /// In which of the regimes that were asked for the workload is measured.
    package func temperatures(_ asked: [Temperature]) -> [Temperature] {
        switch self {
        case .load: [.empty]
        case .coldScan: asked.contains(.disk) ? [.cold, .disk] : [.cold]
        default: asked
        }
    }

    /// What is counted by the second.
    package var unit: String {
        switch self {
        case .load, .scan, .coldScan: "records"
        case .pointRead, .pointReadSnapshot, .batchedRead: "reads"
        case .smallCommit, .smallCommitRelaxed: "commits"
        case .largeValue: "bytes"
        default: "operations"
        }
    }

    /// What a latency is the latency of.
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

    /// The operations of a first, short slice, from which the others are calibrated.
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
