internal import BullaText
internal import Foundation

/// The whole result of a run, for machines; its schema is versioned like that of ``BenchResult``.
package struct RecordSitesResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.record-sites"
    package static let currentVersion = 1

    package var schema = Self.schemaName
    package var schemaVersion = Self.currentVersion
    package var settings: RecordSitesRun
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    /// The times per record, for all clients together, and the latencies.
    package var rows: [SealingRow]

    /// As JSON with its keys sorted.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    package var lines: [String] {
        var table = TextTable(
            header: ["", "", "figure", "95 %", "time / plain", "95 %"], leftColumnCount: 2)
        for row in rows {
            let isTime = row.topic.hasPrefix(RecordSitesRun.latency)
            let text = isTime ? Format.time : Self.rate
            let bounds = row.interval.map { isTime ? [$0.lower, $0.upper] : [$0.upper, $0.lower] }
            table.append([
                row.topic, row.name, text(row.median),
                bounds?.map(text).joined(separator: " - ") ?? "",
                row.ratio.map { Format.fixed($0.median, 3) } ?? "", row.ratio?.text ?? "",
            ])
        }
        return table.lines + (noise.warning.map { [$0] } ?? [])
    }

    /// The rate in records per second, given the nanoseconds per record.
    private static func rate(_ nanoseconds: Double) -> String {
        "\(Format.count(1e9 / nanoseconds)) records/s"
    }
}
