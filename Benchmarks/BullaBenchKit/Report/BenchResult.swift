internal import BullaText
internal import Foundation

/// The whole result of a run, for machines; `compare`, `merge` and `report` read it.
///
/// Within a version of the schema, no field changes its meaning; readers refuse unknown versions.
package struct BenchResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.result"
    package static let currentVersion = 3
    /// In version 2, a ratio's median is that of all slices, and its interval is from a bootstrap.
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
    /// Where the threads actually ran, if the options asked for a placement.
    package var places: [String]
    /// What the options asked for but the run left out, each item with the reason.
    package var skipped: [String]
    package var rows: [ResultRow]
    package var verdict: Verdict
    /// What ended the run early (the rows then hold only the finished rounds); nil if nothing did.
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

    /// As JSON with its keys sorted, so that two results can be compared line by line.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

/// One input, with the digest of its records, against which stores are verified.
package struct ResultInput: Codable, Sendable, Equatable {
    package var name: String
    package var recordCount: Int
    package var payloadByteCount: Int
    /// How many records were replaced by a later record with the same key.
    package var replacedCount: Int
    package var digest: Digest

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
    /// The run's name, the same for all of its shards.
    package var run: String
    package var host: String
    package var shard: Shard
}

/// The options of a run that determine what is measured.
package struct RunSettings: Codable, Sendable, Equatable {
    package var workers: Int
    package var threads: Int
    /// The target for the cost of encryption: 0.10 for 10 %.
    package var target: Double
    /// How narrow a ratio's interval must be for its row to end early; nil if all rounds are run.
    package var precision: Double?
    package var secondLimit: Int
    package var roundLimit: Int
    /// Operations in a slice, by all threads of all shards; nil if slices are calibrated by time.
    package var operationCount: Int?
    /// Operations per second of all threads together, in an open loop; nil in a closed loop.
    package var rate: Double?
    package var recordCount: Int
    package var fieldCount: Int
    package var fieldByteCount: Int
    package var values: String
    package var seed: UInt64
    package var directory: String
    /// The requested placement: `none`, or the text of `--place` and `--memory`.
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
    /// The step whose latency is measured, such as `commit`.
    package var step: String
    package var regime: Regime
    package var figures: [Figures]
    package var comparisons: [RowComparison]
    package var roundCount: Int

    /// Identifies the same row in several results.
    struct Key: Equatable {
        let input: String
        let workload: String
        let unit: String
        let step: String
        var regime: Regime

        var text: String { "\(workload) on \(input) (\(regime.text))" }
    }

    var key: Key { Key(input: input, workload: workload, unit: unit, step: step, regime: regime) }

    /// The verdict of all comparisons that have a target; nil if none has.
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
    /// The work per second, in the row's unit: the median of `rates`.
    package var throughput: Double
    package var rates: [Double]
    /// For loads and relaxed commits: the rates when the time of deferred work is included.
    package var settledRates: [Double]?
    /// The work of all slices that were measured for the row, in the row's unit.
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

    /// The nanoseconds that `percent` of the steps did not exceed; 0 if no step was counted.
    package func percentile(_ percent: Double) -> UInt64 { latency.percentile(percent) ?? 0 }

    /// Processor time for each unit of the row's work.
    package var processorNanoseconds: Double { costs.cpuSeconds * 1e9 / Double(max(work, 1)) }
}

/// How much longer one contender takes than another for the same work.
package struct RowComparison: Codable, Sendable, Equatable {
    package var contender: String
    package var base: String
    /// Time of the contender / time of the base, with its interval; nil for fewer than two rounds.
    package var ratio: Interval?
    package var ratios: [[Double]]
    /// Processor time of the contender / that of the base, likewise; also nil in older results.
    package var processorRatio: Interval?
    package var processorRatios: [[Double]]?
    /// Nil if this pair has no target.
    package var verdict: Verdict?

    /// The median ratio, known from the first round on, before there is an interval.
    package var median: Double? { ratio?.median ?? ratios.joined().median }
}

package struct Regime: Codable, Sendable, Equatable {
    package var temperature: Temperature
    /// What a commit waits for (``BenchDurability``); nil if the workload does not commit.
    package var durability: String?
    /// Nil for workloads that do not read many records in one snapshot.
    package var readsPerSnapshot: Int?
    package var workers: Int
    package var threads: Int
    /// Operations per second of all threads together; nil in a closed loop.
    package var rate: Double?
    package var cacheByteLimit: Int
    /// The other settings that all contenders share: the page size and the cipher suite.
    package var setting: String?

    /// The regime as one line for people.
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

/// How much of a store is cached when it is measured.
package enum Temperature: String, Codable, NamedInLists {
    /// Everything was read once before the measurement, and the cache holds it.
    case hot
    /// Everything was read once before the measurement, but the cache is smaller than the store.
    case overCache = "over-cache"
    /// The store was just opened: its own cache is empty, but the system's page cache is not.
    case cold
    /// The store was just opened, and its file was dropped from the page cache.
    case disk
    /// The workers' memory, page cache included, is smaller than the data.
    case memoryBound = "memory-bound"
    /// The store was new.
    case empty

    /// The temperatures that the options can ask for; the others follow from the run.
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
    /// The elements grouped by key, in the order in which the keys first appear.
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
    /// Each string once, in the order of first appearance.
    var distinct: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension Figures {
    /// The 95 % confidence interval of the true throughput in units per second, divided by `scale`.
    func interval(scale: Double) -> Interval? {
        Interval(rounds: rates.filter { $0.isFinite && $0 > 0 }.map { [$0 / scale] })
    }
}
