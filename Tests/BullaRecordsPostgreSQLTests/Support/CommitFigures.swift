#if PostgreSQL
import BullaRecordsWorker

/// How long commits have taken: a line for people, on which no test depends.
struct CommitFigures: CustomStringConvertible {
    private let calm: [UInt64]
    private let disturbed: [UInt64]

    /// - Parameter windows: when a cluster was down; a call that overlaps with a window counts as
    ///   made while the cluster was down.
    init(_ reports: [BatchReport], _ windows: [Range<UInt64>]) {
        let calls = reports.compactMap(\.call)
        let isDisturbed = { (call: Range<UInt64>) in windows.contains { $0.overlaps(call) } }
        calm = Self.microseconds(calls.filter { !isDisturbed($0) })
        disturbed = Self.microseconds(calls.filter(isDisturbed))
    }

    var description: String {
        "\(Self.text(calm)) while all were up; \(Self.text(disturbed)) while one was down"
    }

    private static func microseconds(_ calls: [Range<UInt64>]) -> [UInt64] {
        calls.map { ($0.upperBound - $0.lowerBound) / 1_000 }.sorted()
    }

    private static func text(_ sorted: [UInt64]) -> String {
        guard !sorted.isEmpty else { return "no commits" }
        // The smallest values that 50 and 99 percent of the values do not exceed.
        let (p50, p99) = (percentile(50, sorted), percentile(99, sorted))
        return "\(sorted.count) commits, p50 \(p50) us, p99 \(p99) us"
    }

    private static func percentile(_ percent: Int, _ sorted: [UInt64]) -> UInt64 {
        sorted[max((sorted.count * percent + 99) / 100 - 1, 0)]
    }
}
#endif
