internal import BullaText
internal import Foundation

/// A result as a file, read back without believing it.
package enum ResultFile {
    private static let byteLimit = 1 << 30

    /// - Throws: ``BenchExit/input`` where it is no result that this version can read, and why.
    package static func read(_ path: String) throws -> BenchResult {
        let bytes = try Descriptor.open(path).readToEnd(limit: byteLimit, of: path)
        return try result(bytes, of: path)
    }

    package static func result(_ bytes: [UInt8], of name: String) throws -> BenchResult {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        do {
            let head = try decoder.decode(Head.self, from: data)
            if let reason = head.refusal { throw BenchError(.input, "read \(name): \(reason)") }
            let result = try decoder.decode(BenchResult.self, from: data)
            try ResultCheck(result: result).check()
            return result
        } catch let error as DecodingError {
            throw BenchError(.input, "read \(name): \(reason(error))")
        } catch let refusal as ResultCheck.Refusal {
            throw BenchError(.input, "read \(name): \(refusal.reason)")
        }
    }

    /// What says whether the rest can be read at all.
    private struct Head: Decodable {
        let schema: String
        let schemaVersion: Int

        var refusal: String? {
            if schema != BenchResult.schemaName {
                return "its schema is \(schema), expected \(BenchResult.schemaName)"
            }
            let versions = BenchResult.readVersions
            if !versions.contains(schemaVersion) {
                return "its schema has version \(schemaVersion), expected "
                    + "\(versions.lowerBound) to \(versions.upperBound)"
            }
            return nil
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(place(context))has no field \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context))is not what it should be: \(context.debugDescription)"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not whole JSON: \(context.debugDescription)"
        case .dataCorrupted(let context):
            "\(place(context))makes no sense: \(context.debugDescription)"
        @unknown default: "it cannot be read: \(error)"
        }
    }

    /// As `rows[3].figures[0].rates `; nothing for the result itself.
    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { key in
            key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }.joined()
        return path.isEmpty ? "it " : "\(path.drop { $0 == "." }) "
    }
}

/// Whether what a file says can be a result at all.
///
/// What passes can be drawn, added up and compared without a trap: numbers are finite and small
/// enough that those of thousands of results still fit when they are added, and names refer to
/// something.
struct ResultCheck {
    struct Refusal: Error { let reason: String }

    /// Of bytes, operations and the like: a thousand times what the largest run does.
    private static let countLimit = 1 << 50
    /// Of everything that is told with decimals.
    private static let numberLimit = 1e15

    let result: BenchResult

    func check() throws {
        try require(Shard("\(shard.index)/\(shard.count)") != nil, "there is no shard \(shard)")
        try check(result.seconds, "seconds")
        try checkSettings()
        try checkMachine()
        for input in result.inputs {
            try check(input.recordCount, "recordCount of \(input.name)")
            try check(input.payloadByteCount, "payloadByteCount of \(input.name)")
            try check(input.replacedCount, "replacedCount of \(input.name)")
        }
        let names = result.contenders.map(\.name)
        try require(Set(names).count == names.count, "two contenders have the same name")
        for row in result.rows { try check(row, Set(names)) }
    }

    private var shard: Shard { result.identity.shard }

    private func checkSettings() throws {
        let settings = result.settings
        try require((1...1 << 20).contains(settings.workers), "workers is \(settings.workers)")
        try require((1...1 << 20).contains(settings.threads), "threads is \(settings.threads)")
        try require(settings.target > -1 && settings.target < 100, "target is \(settings.target)")
        let precision = settings.precision ?? 1
        try require(precision > 0 && precision < 1e9, "precision is \(precision)")
        try require(settings.roundLimit > 0, "roundLimit is \(settings.roundLimit)")
        try check(settings.rate ?? 0, "rate")
        try check(settings.recordCount, "recordCount")
        try check(settings.operationCount ?? 0, "operationCount")
    }

    private func checkMachine() throws {
        let machine = result.machine
        try check(machine.memoryByteCount, "memoryByteCount")
        try check(machine.coreCount, "coreCount")
        try check(machine.clockNanoseconds, "clockNanoseconds")
        try check(machine.firstTouch?.faultNanoseconds ?? 0, "faultNanoseconds")
        try check(machine.firstTouch?.byteNanoseconds ?? 0, "byteNanoseconds")
        for load in machine.loadAverages { try check(load, "a load average") }
        try check(result.noise.foreignShare, "foreignShare")
        try check(result.noise.stolenShare, "stolenShare")
    }

    private func check(_ row: ResultRow, _ contenders: Set<String>) throws {
        let name = "\(row.workload) on \(row.input)"
        let figures = row.figures.map(\.contender)
        try require(Set(figures).count == figures.count, "\(name) has two figures of one contender")
        try require(
            contenders.isSuperset(of: figures), "\(name) has figures of an unknown contender")
        try require(
            result.inputs.contains { $0.name == row.input }, "\(name): there is no such input")
        try require((1...1 << 20).contains(row.regime.workers), "\(name): workers make no sense")
        try require((1...1 << 20).contains(row.regime.threads), "\(name): threads make no sense")
        try check(row.regime.rate ?? 0, "rate of \(name)")
        try check(row.regime.cacheByteLimit, "cacheByteLimit of \(name)")
        try check(row.roundCount, "roundCount of \(name)")
        for figures in row.figures { try check(figures, name) }
        for comparison in row.comparisons { try check(comparison, Set(figures), name) }
    }

    private func check(_ figures: Figures, _ row: String) throws {
        let name = "\(figures.contender) in \(row)"
        try check(figures.throughput, "throughput of \(name)")
        let rates = figures.rates + (figures.settledRates ?? [])
        for rate in rates { try check(rate, "a rate of \(name)") }
        try check(figures.work, "work of \(name)")
        try check(figures.seconds, "seconds of \(name)")
        let costs = figures.costs
        try check(costs.cpuSeconds, "cpuSeconds of \(name)")
        let memory = [
            costs.peakResidentByteCount, costs.peakWorkerByteCount, costs.sharedByteCount,
        ]
        for count in costs.counts.compactMap({ $0 }) + memory {
            try require(count <= Self.countLimit, "the costs of \(name) are absurd: \(count)")
        }
    }

    private func check(_ comparison: RowComparison, _ contenders: Set<String>, _ row: String) throws
    {
        let name = "\(comparison.contender) / \(comparison.base) in \(row)"
        try require(
            contenders.isSuperset(of: [comparison.contender, comparison.base]),
            "\(name) compares what has no figures")
        try check(comparison.ratio, comparison.ratios, name)
        try check(comparison.processorRatio, comparison.processorRatios ?? [], name)
    }

    private func check(_ interval: Interval?, _ ratios: [[Double]], _ name: String) throws {
        let interval = interval.map { [$0.lower, $0.median, $0.upper] } ?? []
        try require(interval == interval.sorted(), "the interval of \(name) is not one")
        for ratio in ratios.joined() + interval {
            try require(ratio > 1e-9 && ratio < 1e9, "a ratio of \(name) is absurd: \(ratio)")
        }
    }

    private func check(_ number: Double, _ name: String) throws {
        try require(number >= 0 && number <= Self.numberLimit, "\(name) is absurd: \(number)")
    }

    private func check(_ count: Int, _ name: String) throws {
        try require(count >= 0 && count <= Self.countLimit, "\(name) is absurd: \(count)")
    }

    private func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws {
        guard holds else { throw Refusal(reason: reason()) }
    }
}
