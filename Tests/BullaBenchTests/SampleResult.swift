import BullaBenchKit
import Foundation

/// Results that were never measured, but made up from a seed to resemble real ones.
struct SampleResult {
    var seed: UInt64 = 1
    var command = "overhead"
    var contenders = ["plain", "encrypted"]
    /// The time of each contender's work, as a multiple of the first one's.
    var ratios = [1.0, 1.04]
    var workloads = ["point-read", "scan", "small-commit"]
    var input = "ycsb"
    var roundCount = 12
    var workers = 1
    var threads = 2
    var recordCount = 1_000_000
    var recordByteCount = 123
    var temperature = "hot"
    /// The spread of the rounds, as a share.
    var spread = 0.01
    var stepsPerRound = 100
    var shard = Shard.whole
    var run = "sample"
    var host = "host-1"
    var hasTarget = true
    var skipped: [String] = []
    var failure: String?

    func made() throws -> BenchResult {
        BenchResult(
            command: command,
            identity: try fromFields(["run": run, "host": host, "shard": shard]),
            settings: try settings(), machine: Machine(directory: "/"),
            noise: MachineNoise(foreignShare: 0.004, stolenShare: 0), seconds: 150,
            inputs: [try inputFacts()],
            contenders: try contenders.map { name in
                try fromFields([
                    "name": name, "engine": "\(name) 1.0", "isEncrypted": name != "plain",
                    "configuration": "cache 64 MiB, durable",
                ])
            }, skipped: skipped, rows: try workloads.indices.map(row), failure: failure)
    }

    private func row(_ place: Int) throws -> ResultRow {
        var random = Random(seed, UInt64(place), UInt64(shard.index))
        let isCommit = workloads[place].contains("commit")
        let rate = (isCommit ? 900 : 420_000 / Double(place + 1)) * Double(workers * threads)
        let shifts = (0..<roundCount).map { _ in normal(&random) }
        let figures = contenders.indices.map { contender in
            madeFigures(contender, rate / ratios[contender], shifts, isCommit, &random)
        }
        let comparisons = try contenders.indices.dropFirst().map { contender in
            try comparison(contender, figures, &random)
        }
        var regime: Regime = try fromFields([
            "temperature": isCommit ? "empty" : temperature, "workers": workers, "threads": threads,
            "cacheByteLimit": 64 << 20, "setting": "page size 4096, aes-256-gcm",
        ])
        regime.durability = isCommit ? "full" : nil
        return try fromFields([
            "input": input, "workload": workloads[place],
            "unit": isCommit ? "commits" : "operations",
            "step": isCommit ? "commit" : "operation", "regime": regime, "figures": figures,
            "comparisons": comparisons, "roundCount": roundCount,
        ])
    }

    private func madeFigures(
        _ contender: Int, _ rate: Double, _ shifts: [Double], _ isCommit: Bool,
        _ random: inout Random
    ) -> Figures {
        // The shift of a round affects all contenders; each also has a shift of its own.
        let rates = shifts.map { rate * (1 + spread * ($0 + 0.3 * normal(&random))) }
        var latency = Latency()
        for _ in 0..<(roundCount * stepsPerRound) {
            let tail = random.unit() < 0.002 ? 30 * random.unit() : 0
            let factor = 0.6 + 0.4 * (-2 * log(1 - random.unit())).squareRoot() + tail
            latency.record(UInt64(1e9 * Double(workers * threads) / rate * max(factor, 0.1)))
        }
        var costs = Costs()
        let work = roundCount * stepsPerRound
        costs.cpuSeconds = Double(work) / rate * 1.01
        if isCommit {
            costs.byteCountWritten = UInt64(work * 12_345)
            costs.commits = UInt64(work)
            costs.flushes = UInt64(work / 2 * 3)
        }
        costs.peakResidentByteCount = UInt64(90 + contender * 3) << 20
        costs.peakWorkerByteCount = UInt64(50 + contender * 2) << 20
        costs.sharedByteCount = 11 << 20
        costs.pageCacheByteCount = UInt64(240 + contender * 8) << 20
        return Figures(
            contender: contenders[contender], rates: rates, work: work,
            seconds: Double(work) / rate, latency: latency, costs: costs)
    }

    private func comparison(
        _ contender: Int, _ figures: [Figures], _ random: inout Random
    ) throws -> RowComparison {
        let pairs = zip(figures[0].rates, figures[contender].rates)
        let ratios = pairs.map { base, rate in
            [base / rate, base / rate * (1 + spread * 0.3 * normal(&random))]
        }
        var comparison: RowComparison = try fromFields([
            "contender": contenders[contender], "base": contenders[0], "ratios": ratios,
        ])
        comparison.ratio = Interval(rounds: ratios)
        comparison.processorRatios = ratios
        comparison.processorRatio = comparison.ratio
        if hasTarget {
            comparison.verdict = Verdict(ratio: comparison.ratio, rounds: roundCount, limit: 1.10)
        }
        return comparison
    }

    private func settings() throws -> RunSettings {
        try fromFields([
            "workers": workers, "threads": threads, "target": 0.1, "secondLimit": 150,
            "roundLimit": 40, "recordCount": recordCount, "fieldCount": 1, "fieldByteCount": 100,
            "values": "random", "seed": seed, "directory": "/data", "placement": "none",
        ])
    }

    private func inputFacts() throws -> ResultInput {
        let digest: Digest = try fromFields([
            "count": recordCount, "hash": "00112233445566778899aabbccddeeff",
        ])
        return try fromFields([
            "name": input, "recordCount": recordCount,
            "payloadByteCount": recordCount * recordByteCount,
            "replacedCount": 0, "digest": digest,
        ])
    }

    /// Approximately standard normal: the sum of twelve uniform numbers, minus its mean.
    private func normal(_ random: inout Random) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + random.unit() }
    }
}
