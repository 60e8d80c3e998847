#if PostgreSQL
import BullaRecordsWorker

/// What happens to one of several clusters while all are used.
enum ClusterPhase: String, CaseIterable {
    case up = "while all were up"
    case down = "while one was down"
    /// The cluster recovers, with the processors and the disk that the others use.
    case starting = "while it started again"
}

/// How long commits have taken: a line for people, on which no test depends.
struct CommitFigures: CustomStringConvertible {
    /// Microseconds, in ascending order.
    private let times: [ClusterPhase: [UInt64]]

    /// - Parameter windows: when a cluster was down, and when it started again; a call that
    ///   overlaps with windows of both kinds counts as made while the cluster started.
    init(_ reports: [BatchReport], _ windows: [ClusterPhase: [Range<UInt64>]]) {
        var times: [ClusterPhase: [UInt64]] = [:]
        for call in reports.compactMap(\.call) {
            let phase = [ClusterPhase.starting, .down].first { phase in
                windows[phase]?.contains { $0.overlaps(call) } == true
            }
            times[phase ?? .up, default: []].append((call.upperBound - call.lowerBound) / 1_000)
        }
        self.times = times.mapValues { $0.sorted() }
    }

    var description: String {
        let away = ((times[.down] ?? []) + (times[.starting] ?? [])).sorted()
        let phases = ClusterPhase.allCases.map { "\(Self.text(times[$0] ?? [])) \($0.rawValue)" }
        return (phases + ["\(Self.text(away)) in the last two together"]).joined(separator: "; ")
    }

    private static func text(_ sorted: [UInt64]) -> String {
        guard !sorted.isEmpty else { return "no commits" }
        // The smallest time that is at least as long as 50 percent of the times, and the same for
        // 99 percent.
        let (p50, p99) = (percentile(50, sorted), percentile(99, sorted))
        return "\(sorted.count) commits, p50 \(p50) us, p99 \(p99) us"
    }

    private static func percentile(_ percent: Int, _ sorted: [UInt64]) -> UInt64 {
        sorted[max((sorted.count * percent + 99) / 100 - 1, 0)]
    }
}
#endif
