/// What workers do to a store.
package enum Workload: String, Codable, CaseIterable, Sendable {
    /// All records, in random order, 10 000 a commit, into an empty store.
    case bulkLoad = "bulk-load"
    /// Records drawn uniformly, many in one snapshot.
    case pointRead = "point-read"
    /// Records drawn uniformly, a new snapshot for each.
    case pointReadSnapshot = "point-read-snapshot"
    /// All records in order, a new snapshot for each scan.
    case scan
    /// One record changed, drawn uniformly from the thread's own, and committed.
    case smallCommit = "small-commit"
    /// YCSB A: one record read or changed, half and half, drawn from a scrambled zipfian.
    case mix

    /// The workloads that `text` names, with commas between them, each once; nil where it names
    /// another.
    package static func list(_ text: String) -> [Workload]? {
        let list = text.split(separator: ",").map { Workload(rawValue: String($0)) }
        guard !list.isEmpty, !list.contains(nil) else { return nil }
        return allCases.filter { list.contains($0) }
    }

    package static let recordsPerCommit = 10_000

    /// Starts from an empty store; the others from one that holds all records.
    package var startsEmpty: Bool { self == .bulkLoad }

    /// Waits for the disk, so that durability is part of its regime.
    package var writes: Bool { self == .bulkLoad || self == .smallCommit || self == .mix }

    /// What is counted by the second.
    package var unit: String {
        switch self {
        case .bulkLoad, .scan: "records"
        case .pointRead, .pointReadSnapshot: "reads"
        case .smallCommit: "commits"
        case .mix: "operations"
        }
    }

    /// What a latency is the latency of.
    package var step: String {
        switch self {
        case .bulkLoad: "commit of \(Self.recordsPerCommit) records"
        case .pointRead: "read"
        case .pointReadSnapshot: "snapshot and read"
        case .scan: "scan of all records"
        case .smallCommit: "commit"
        case .mix: "change"
        }
    }

    /// The operations of a first, short slice, from which the others are calibrated.
    package var pilotOperations: Int {
        switch self {
        case .bulkLoad, .scan: 1
        case .pointRead, .pointReadSnapshot: 1_000
        case .smallCommit, .mix: 32
        }
    }
}
