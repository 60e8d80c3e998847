internal import Foundation

/// What the peers' run found.
struct PeerReport: Encodable {
    struct Engine: Encodable {
        let name: String
        let configuration: String
    }

    struct Row: Encodable {
        let workload: String
        let unit: String
        /// In the unit by the second, in the order of the engines: the median over the rounds.
        let medians: [Double]
        /// Throughput over that of the first engine.
        let ratios: [Interval?]
        let rates: [[Double]]
    }

    let schema = "bulla-bench.peers"
    let schemaVersion = 1
    let recordCount: Int
    let valueByteCount: Int
    let time: String
    let engines: [Engine]
    let rows: [Row]

    init(_ samples: [PeerSamples], _ peers: [any Peer], _ options: PeersCommand) {
        recordCount = options.records
        valueByteCount = options.valueBytes
        time = Clock.timestamp
        engines = peers.map { Engine(name: $0.name, configuration: $0.configuration) }
        rows = samples.map { sample in
            Row(
                workload: sample.workload.rawValue, unit: sample.workload.unit,
                medians: peers.indices.map { sample.median($0) },
                ratios: peers.indices.map { sample.ratio($0, over: 0, seed: options.seed) },
                rates: sample.rates)
        }
    }

    func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// A table: throughput, and in brackets that over the first engine's.
    var lines: [String] {
        var table = TextTable(header: ["workload"] + engines.map(\.name), leftColumnCount: 1)
        for row in rows { table.append([row.workload] + engines.indices.map { cell(row, $0) }) }
        let first = engines.first?.name ?? ""
        return engines.map { "\($0.name): \($0.configuration)" } + [""] + table.lines + [
            "",
            "\(recordCount) records of 23-byte keys and \(valueByteCount)-byte values, hot, "
                + "one thread; by the second, and as a multiple of \(first) with its 95 % interval",
        ]
    }

    private func cell(_ row: Row, _ engine: Int) -> String {
        let rate = Format.count(row.medians[engine]) + "/s"
        guard engine > 0, let ratio = row.ratios[engine] else { return rate }
        let ends = [ratio.lower, ratio.upper].map { Format.fixed($0, 2) }.joined(separator: "-")
        return "\(rate) (\(Format.fixed(ratio.median, 2)) x, \(ends))"
    }
}
