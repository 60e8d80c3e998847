import BullaBenchKit
import Foundation
import Testing

/// Compares runs of eight shards with one run of eight workers.
@Suite struct `Eight shards` {
    private static let count = 8
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(under: "/tmp", isKept: false)
    }

    /// Because 1003 operations are not a multiple of 8, some shards do one more than others.
    @Test(.enabled(if: BenchProgram.isFast))
    func `merged count exactly what one run counts`() throws {
        let trace = scratch.file("trace")
        let size = ["--records", "1600", "--fields", "1"]
        try BenchProgram.run(["record", trace, "--operations", "1000"] + size, status: .met)
        let words =
            size + [
                "--operations", "1003", "--rounds", "2", "--time", "100000", "--trace", trace,
                "--workloads", "load,point-read,small-commit,ycsb-a,replay", "--run", "a",
            ]
        let whole = try Self.results(of: [words + ["--workers", "8"]], in: scratch)[0]
        let merged = try Self.merged(
            Self.results(
                of: (0..<Self.count).map { words + ["--shard", "\($0)/8"] }, in: scratch))
        #expect(merged.failure == nil && merged.skipped == [])
        #expect(merged.inputs.map(\.recordCount) == [1_600])
        #expect(merged.inputs == whole.inputs)
        #expect(whole.rows.count == 5 && merged.rows.count == 5)
        for (row, other) in zip(whole.rows, merged.rows) {
            #expect(row.workload == other.workload && row.regime == other.regime)
            #expect(row.roundCount == 2 && other.roundCount == 2)
            // A round has four slices of the requested size.
            let work = row.workload == "load" ? 2 * 1_600 : 2 * 4 * 1_003
            #expect(row.figures.map(\.work) == [work, work], "\(row.workload)")
            #expect(other.figures.map(\.work) == [work, work], "\(row.workload)")
        }
    }

    /// The times are made up from the keys, so both runs have the same times.
    @Test(.enabled(if: BenchProgram.isFast))
    func `merged have exactly the percentiles of one run`() throws {
        let trace = scratch.file("trace")
        try TraceRecorder(.small(1_600, 100), seed: 3).record(
            [.ycsbC], operationCount: 5_000, to: trace)
        let whole = try replay(trace) { $0.workers = Self.count }
        let merged = try Self.merged(
            (0..<Self.count).map { index in
                try replay(trace) { $0.shard = Shard(index: index, count: Self.count) }
            })
        let (figures, other) = (whole.rows[0].figures[0], merged.rows[0].figures[0])
        #expect(figures.work == 2 * 4 * 4_001 && other.work == figures.work)
        for percent in [1, 25, 50, 90, 99, 99.9, 100] {
            #expect(figures.percentile(percent) == other.percentile(percent), "p\(percent)")
        }
        #expect(figures.percentile(50) < figures.percentile(99))
        #expect(try Self.text(figures.latency) == Self.text(other.latency))
    }

    /// Replays a trace of reads on a model.
    private func replay(
        _ trace: String, _ change: (inout ComparisonOptions) -> Void
    ) throws -> BenchResult {
        var options = ComparisonOptions()
        options.records = .small(1_600, 100)
        options.workloads = [.replay]
        options.tracePath = trace
        (options.operationCount, options.roundLimit) = (4_001, 2)
        options.secondLimit = 100_000
        options.directory = scratch.path
        options.runName = "a"
        change(&options)
        var behaviour = ModelBehaviour()
        behaviour.makesUpTime = true
        let contender = Contender(
            name: "model", program: try BenchProgram.path(), isEncrypted: false, model: behaviour)
        let run = try ComparisonRun(
            "selftest", options, Lineup([contender], []), Progress(isSilent: true))
        let (result, error) = try run.run()
        if let error { throw error }
        return result
    }

    /// Makes several runs of the program at the same time, and returns their results.
    private static func results(of runs: [[String]], in scratch: Scratch) throws -> [BenchResult] {
        let name = UUID().uuidString
        let paths = runs.indices.map { scratch.file("\(name)-\($0).json") }
        let started = try zip(runs, paths).map { words, path in
            try BenchRun(["overhead"] + words + ["--json", path])
        }
        for run in started { try run.expectEnd(.undecided) }
        return try paths.map(BenchProgram.result)
    }

    private static func merged(_ results: [BenchResult]) throws -> BenchResult {
        try ResultMerge(results.enumerated().map { .init(name: "\($0)", result: $1) }).merged()
    }

    private static func text(_ latency: Latency) throws -> String {
        String(decoding: try JSONEncoder().encode(latency), as: UTF8.self)
    }
}
