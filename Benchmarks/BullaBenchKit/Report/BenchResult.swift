internal import BullaText
internal import Foundation

/// All that a run found, written for machines and read by `compare`, `merge` and `report`.
///
/// The schema is named and versioned: a field is never given another meaning under the same
/// version, and a reader refuses a version that it does not know.
package struct BenchResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.result"
    package static let currentVersion = 3
    /// In version 2 a ratio's median is that of all slices, and its interval from a bootstrap.
    static let readVersions = 2...3

    package var schema = Self.schemaName
    package var schemaVersion = Self.currentVersion
    package var command: String
    package var identity: RunIdentity
    package var settings: RunSettings
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    package var inputs: [ResultInput]
    package var contenders: [ContenderFacts]
    /// Where threads really were, where a placement was asked for.
    package var places: [String]
    /// What was asked for and left out, each by name and with the reason.
    package var skipped: [String]
    package var rows: [ResultRow]
    package var verdict: Verdict
    /// Why the run ended before it was done; nil where it was not.
    ///
    /// The rows then hold the rounds that were finished.
    package var failure: String?

    package init(
        command: String, identity: RunIdentity, settings: RunSettings, machine: Machine,
        noise: MachineNoise, seconds: Double, inputs: [ResultInput], contenders: [ContenderFacts],
        places: [String] = [], skipped: [String], rows: [ResultRow], failure: String?
    ) {
        (self.command, self.identity, self.settings) = (command, identity, settings)
        (self.machine, self.noise, self.seconds, self.inputs) = (machine, noise, seconds, inputs)
        (self.contenders, self.places, self.skipped) = (contenders, places, skipped)
        (self.rows, self.failure) = (rows, failure)
        verdict = Verdict(all: rows.compactMap(\.verdict))
    }

    /// As JSON with its keys sorted, so that two results can be compared by line.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

/// One input, and the digest that every store was verified against, before its changes.
package struct ResultInput: Codable, Sendable, Equatable {
    package var name: String
    package var recordCount: Int
    package var payloadByteCount: Int
    /// Records that a later one with the same key replaced.
    package var replacedCount: Int
    package var digest: Digest

    /// For people.
    var text: String {
        let replaced =
            replacedCount == 0 ? "" : ", \(replacedCount) replaced by later ones with the same key"
        return "\(recordCount) records, \(Format.bytes(payloadByteCount)) of keys and values"
            + replaced
    }

    init(_ source: Source) {
        (name, recordCount) = (source.name, source.recordCount)
        (payloadByteCount, replacedCount) = (source.payloadByteCount, source.replacedCount)
        digest = source.digest
    }
}

package struct ContenderFacts: Codable, Sendable, Equatable {
    package var name: String
    package var engine: String
    package var configuration: String
    package var isEncrypted: Bool
}

package struct RunIdentity: Codable, Sendable, Equatable {
    /// The same for all shards of one run.
    package var run: String
    package var host: String
    package var shard: Shard
}

/// What a run was asked for, as far as it decides what is measured.
package struct RunSettings: Codable, Sendable, Equatable {
    package var workers: Int
    package var threads: Int
    /// What the cost of encryption is judged against: 0.10 for 10 %.
    package var target: Double
    /// How narrow the interval of a ratio is to be before its row ends; nil: all rounds are run.
    package var precision: Double?
    package var secondLimit: Int
    package var roundLimit: Int
    /// Operations of the whole run in each slice; nil where slices are calibrated by time.
    package var operationCount: Int?
    /// Operations by the second, of all threads together, in open loop; nil in closed loop.
    package var rate: Double?
    package var recordCount: Int
    package var fieldCount: Int
    package var fieldByteCount: Int
    package var values: String
    package var seed: UInt64
    package var directory: String
    /// Where threads and memory were asked to be: `none`, or as `--place` and `--memory` say it.
    package var placement: String

    package init(_ options: ComparisonOptions) {
        (workers, threads, target) = (options.workers, options.threads, options.target)
        (precision, secondLimit) = (options.precision, options.secondLimit)
        (roundLimit, operationCount) = (options.roundLimit, options.operationCount)
        (rate, recordCount) = (options.rate, options.records.count)
        (fieldCount, fieldByteCount) = (options.records.fieldCount, options.records.fieldByteCount)
        (values, seed) = (options.records.values.description, options.seed)
        (directory, placement) = (options.directory, options.placement.description)
    }
}

/// One workload on one input: what each contender did, and how they compare.
package struct ResultRow: Codable, Sendable {
    package var input: String
    package var workload: String
    package var unit: String
    /// What a latency is the latency of.
    package var step: String
    package var regime: Regime
    package var figures: [Figures]
    package var comparisons: [RowComparison]
    package var roundCount: Int

    /// What rows of several results have in common where they are of the same thing.
    struct Key: Equatable {
        let input: String
        let workload: String
        let unit: String
        let step: String
        var regime: Regime

        var text: String { "\(workload) on \(input) (\(regime.text))" }
    }

    var key: Key { Key(input: input, workload: workload, unit: unit, step: step, regime: regime) }

    /// That of all comparisons that have a target; nil where none has.
    package var verdict: Verdict? {
        let verdicts = comparisons.compactMap(\.verdict)
        return verdicts.isEmpty ? nil : Verdict(all: verdicts)
    }

    package func figures(of contender: String) -> Figures? {
        figures.first { $0.contender == contender }
    }
}

package struct Figures: Codable, Sendable {
    package var contender: String
    /// In the row's unit by the second: the median over the rounds.
    package var throughput: Double
    package var rates: [Double]
    /// Those of a load until the store had also finished what its commits had put off.
    package var settledRates: [Double]?
    /// What was done in all slices that count, in the row's unit.
    package var work: Int
    package var seconds: Double
    package var latency: Latency
    package var costs: Costs

    package init(
        contender: String, rates: [Double], work: Int, seconds: Double, latency: Latency,
        costs: Costs
    ) {
        (self.contender, self.rates, self.work, self.seconds) = (contender, rates, work, seconds)
        (self.latency, self.costs) = (latency, costs)
        throughput = rates.median ?? 0
    }

    /// Nanoseconds that so many percent of the steps did not exceed; 0 where none was counted.
    package func percentile(_ percent: Double) -> UInt64 { latency.percentile(percent) ?? 0 }

    /// What one of the row's unit took of the processors.
    package var processorNanoseconds: Double { costs.cpuSeconds * 1e9 / Double(max(work, 1)) }
}

/// How much longer one contender takes than another for the same work.
package struct RowComparison: Codable, Sendable, Equatable {
    package var contender: String
    package var base: String
    /// Time of the contender / time of the base, by the median; nil for fewer than two rounds.
    package var ratio: Interval?
    package var ratios: [[Double]]
    /// Processor time of the contender / that of the base, likewise; nil in older results.
    package var processorRatio: Interval?
    package var processorRatios: [[Double]]?
    /// Nil where no target is set for this pair.
    package var verdict: Verdict?

    /// The median ratio, known without an interval from the first round on.
    package var median: Double? { ratio?.median ?? ratios.joined().median }
}

package struct Regime: Codable, Sendable, Equatable {
    package var temperature: Temperature
    /// What ends a commit; nil where nothing is committed.
    package var durability: String?
    /// Nil where that is not asked.
    package var readsPerSnapshot: Int?
    package var workers: Int
    package var threads: Int
    /// Operations by the second, of all threads together; nil in closed loop.
    package var rate: Double?
    package var cacheByteLimit: Int
    /// What else was set alike for all contenders: page size and cipher suite of a pair.
    package var setting: String?

    /// One line for people.
    package var text: String {
        var parts = [temperature.text]
        if let durability { parts.append(durability == "full" ? "durable" : durability) }
        if let readsPerSnapshot {
            parts.append(
                readsPerSnapshot == 1 ? "a snapshot each" : "\(readsPerSnapshot) a snapshot")
        }
        parts.append("workers x threads \(workers) x \(threads)")
        if let rate { parts.append("open loop at \(Format.count(rate))/s") }
        parts.append("cache " + Format.bytes(cacheByteLimit))
        if let setting { parts.append(setting) }
        return parts.joined(separator: ", ")
    }
}

/// What of a store is at hand when it is measured.
package enum Temperature: String, Codable, NamedInLists {
    /// Everything was read once before, and the cache holds it.
    case hot
    /// Everything was read once before, but the cache is smaller.
    case overCache = "over-cache"
    /// The store was just opened: its own cache is empty, the page cache of the system is not.
    case cold
    /// The store was just opened, and its file dropped from the page cache.
    case disk
    /// The workers' memory, page cache included, is smaller than the data.
    case memoryBound = "memory-bound"
    /// The store was new.
    case empty

    /// The others come by themselves.
    package static let listed = [Temperature.hot, .cold, .disk, .memoryBound]
    package static let all: [Temperature] = []

    package var text: String {
        switch self {
        case .overCache: "larger than the cache"
        case .memoryBound: "less memory than data"
        case .hot, .cold, .disk, .empty: rawValue
        }
    }
}

extension Sequence {
    /// What has the same key together, in the order in which the keys come.
    func grouped<Key: Equatable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
        reduce(into: []) { groups, element in
            let key = key(element)
            if let place = groups.firstIndex(where: { $0.key == key }) {
                groups[place].elements.append(element)
            } else {
                groups.append((key, [element]))
            }
        }
    }
}

extension Collection<String> {
    /// Each once, in the order in which they come.
    var distinct: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension Figures {
    /// Between what the true throughput lies with 95 % confidence, in so many units by the second.
    func interval(scale: Double) -> Interval? {
        Interval(rounds: rates.filter { $0.isFinite && $0 > 0 }.map { [$0 / scale] })
    }
}
