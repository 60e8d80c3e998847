import BullaBenchKit
import Testing

@Suite struct `Merged results` {
    private typealias Part = ResultMerge.Part

    /// Eight shards of one run, each with its own rounds.
    private static func shards(run: String = "sample") throws -> [Part] {
        try (0..<8).map { index in
            var sample = SampleResult(run: run)
            sample.shard = Shard(index: index, count: 8)
            sample.host = "host-\(index)"
            return Part(name: "\(index).json", result: try sample.made())
        }
    }

    @Test func `of eight shards count what one run would, to the last step`() throws {
        let parts = try Self.shards()
        let merged = try ResultMerge(parts).merged()
        #expect(merged.failure == nil)
        #expect(merged.skipped.isEmpty)
        #expect(merged.identity.shard == .whole)
        for (place, row) in merged.rows.enumerated() {
            for (contender, figures) in row.figures.enumerated() {
                let each = parts.map { $0.result.rows[place].figures[contender] }
                // The expected latency has the steps of all shards in one histogram.
                var whole = Latency()
                for figures in each { whole.merge(figures.latency) }
                #expect(figures.latency.count == each.map(\.latency.count).reduce(0, +))
                #expect(figures.latency == whole)
                for percent in [0, 50, 90, 99, 99.9, 100] {
                    #expect(figures.percentile(percent) == whole.percentile(percent))
                }
                #expect(figures.work == each.map(\.work).reduce(0, +))
            }
        }
    }

    @Test func `of shards add up what was done by the second, round by round`() throws {
        let parts = try Self.shards()
        let merged = try ResultMerge(parts.reversed()).merged()
        let row = try #require(merged.rows.first)
        #expect(row.roundCount == 12)
        #expect(row.regime.workers == 8)
        let each = parts.map { $0.result.rows[0].figures[1].rates }
        for round in 0..<12 {
            let sum = each.map { $0[round] }.reduce(0, +)
            #expect(abs(row.figures[1].rates[round] / sum - 1) < 1e-12)
        }
        #expect(row.comparisons[0].ratios.count == 8 * 12, "each round is a cluster of its own")
        #expect(row.comparisons[0].processorRatios?.count == 8 * 12)
        #expect(row.comparisons[0].processorRatio == row.comparisons[0].ratio)
        #expect(merged.inputs[0].recordCount == 8_000_000)
        #expect(merged.inputs[0].digest.count == 8_000_000)
    }

    @Test func `have an interval and a verdict of their own`() throws {
        // The four rounds of a single result decide nothing.
        var sample = SampleResult()
        sample.roundCount = Verdict.roundMinimum - 1
        let parts = try (0..<3).map { number in
            sample.seed = UInt64(number)
            sample.host = "host-\(number)"
            return Part(name: "\(number)", result: try sample.made())
        }
        #expect(parts.allSatisfy { $0.result.verdict == .undecided })
        let merged = try ResultMerge(parts).merged()
        #expect(merged.verdict == .met)
        #expect(merged.rows[0].roundCount == 12, "repeats are further rounds")
        #expect(merged.rows[0].regime.workers == 1)
        let ratio = try #require(merged.rows[0].comparisons[0].ratio)
        #expect(ratio.lower < 1.04 && 1.04 < ratio.upper)
    }

    @Test func `are written and read like any other`() throws {
        let merged = try ResultMerge(Self.shards()).merged()
        let read = try ResultFile.result(merged.json(), of: "merged.json")
        #expect(try read.json() == merged.json())
    }

    @Test func `name each shard that is missing`() throws {
        var parts = try Self.shards()
        parts.remove(at: 5)
        parts.remove(at: 2)
        let merged = try ResultMerge(parts).merged()
        #expect(merged.failure == "of the run sample, the shards 2/8, 5/8 are missing")
        #expect(merged.rows.count == 3)
    }

    @Test func `tell where the threads of each host were`() throws {
        var parts = try Self.shards()
        for (place, part) in parts.enumerated() {
            var result = part.result
            result.places = ["lane 0 on core 2"]
            parts[place] = Part(name: part.name, result: result)
        }
        let places = try ResultMerge(parts).merged().places
        #expect(places == (0..<8).map { "host-\($0): lane 0 on core 2" })
    }

    @Test func `count a result once that is given twice`() throws {
        let parts = try Self.shards()
        let merged = try ResultMerge(parts + [Part(name: "again", result: parts[3].result)])
            .merged()
        #expect(merged.skipped == ["again is the same result as 3.json: counted once"])
        #expect(
            try merged.rows[0].figures[0].work
                == ResultMerge(parts).merged().rows[0].figures[0].work)
    }

    @Test func `take whole runs for throughput where there are some`() throws {
        let whole = try Self.shards()
        let other = try Self.shards(run: "second")
        let merged = try ResultMerge(whole + other.prefix(3)).merged()
        let alone = try ResultMerge(whole).merged()
        #expect(merged.rows[0].figures[0].rates == alone.rows[0].figures[0].rates)
        #expect(merged.rows[0].figures[0].work > alone.rows[0].figures[0].work)
        #expect(merged.failure?.contains("of the run second, the shards 3/8, 4/8") == true)
    }

    @Test func `leave out a row that a part lacks, and name it`() throws {
        var parts = try Self.shards()
        var result = parts[6].result
        result.rows.removeFirst()
        parts[6] = Part(name: "6.json", result: result)
        let merged = try ResultMerge(parts).merged()
        #expect(merged.rows.map(\.workload) == ["scan", "small-commit"])
        let skipped = merged.skipped.joined()
        #expect(skipped.contains("point-read on ycsb"))
        #expect(skipped.contains("not in 6.json, shard 6/8 of the run sample on host-6"))
    }

    @Test func `keep the failures of their parts`() throws {
        var parts = try Self.shards()
        var result = parts[1].result
        result.failure = "the disk is full"
        parts[1] = Part(name: "1.json", result: result)
        let failure = try #require(try ResultMerge(parts).merged().failure)
        #expect(failure == "shard 1/8 of the run sample on host-1 ended early: the disk is full")
    }

    @Test(arguments: Refusal.allCases)
    func `are refused where the parts do not belong together`(refusal: Refusal) throws {
        var parts = try Self.shards()
        var result = parts[7].result
        refusal.change(&result)
        parts[7] = Part(name: "7.json", result: result)
        let error = #expect(throws: BenchError.self) { try ResultMerge(parts) }
        #expect(error?.exit == .input)
        let start = "merge 0.json and 7.json: their "
        #expect(error?.message.hasPrefix(start) == true)
        #expect(error?.message.contains(refusal.rawValue) == true, "\(error?.message ?? "")")
    }

    @Test func `of repeats of a shard are refused where the records differ`() throws {
        let first = try SampleResult(host: "a").made()
        var second = try SampleResult(host: "b").made()
        second.inputs[0].digest.add(7)
        let error = #expect(throws: BenchError.self) {
            try ResultMerge([.init(name: "a", result: first), .init(name: "b", result: second)])
        }
        #expect(error?.message.contains("their records differ: ycsb: 1000000 records") == true)
    }

    @Test func `may differ in their seeds and folders`() throws {
        var parts = try Self.shards()
        var result = parts[7].result
        result.settings.seed = 99
        result.settings.directory = "/elsewhere"
        parts[7] = Part(name: "7.json", result: result)
        #expect(try ResultMerge(parts).merged().failure == nil)
    }

    enum Refusal: String, CaseIterable {
        case threads = "threads differ: 2 and 3"
        case records = "recordCount differ: 1000000 and 5"
        case precision = "precision differ: nil and 0.02"
        case target = "target differ: 0.1 and 0.2"
        case command = "command differ: overhead and peers"
        case engine = "contenders differ: plain (plain 1.0"
        case inputs = "inputs differ: ycsb and other"
        case shards = "shard count differ: 8 and 9"

        func change(_ result: inout BenchResult) {
            switch self {
            case .threads: result.settings.threads = 3
            case .records: result.settings.recordCount = 5
            case .precision: result.settings.precision = 0.02
            case .target: result.settings.target = 0.2
            case .command: result.command = "peers"
            case .engine: result.contenders[0].engine = "plain 2.0"
            case .inputs: result.inputs[0].name = "other"
            case .shards: result.identity.shard = Shard(index: 8, count: 9)
            }
        }
    }
}
