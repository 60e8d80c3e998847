internal import BullaText
internal import Foundation

/// Reads a result from a file that may contain anything.
package enum ResultFile {
    private static let byteLimit = 1 << 30

    /// - Throws: ``BenchExit/input`` with the reason if this version cannot read it as a result.
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
            try ResultCheck.checkNumbers(try JSONSerialization.jsonObject(with: data))
            try ResultCheck(result: result).check()
            return result
        } catch let error as DecodingError {
            throw BenchError(.input, "read \(name): \(reason(error))")
        } catch let refusal as ResultCheck.Refusal {
            throw BenchError(.input, "read \(name): \(refusal.reason)")
        }
    }

    /// The fields that show whether this version can read the rest.
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

    /// What a message is about, such as `rows[3].figures[0].rates `; `it ` for the result itself.
    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { key in
            key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }.joined()
        return path.isEmpty ? "it " : "\(path.drop { $0 == "." }) "
    }
}

/// Checks whether a file can be a result at all.
///
/// A result that passes can be drawn, added up and compared without a trap: its numbers are finite,
/// and small enough for sums over thousands of results, and every name in it refers to something.
struct ResultCheck {
    struct Refusal: Error { let reason: String }

    /// The range of bytes, operations, seconds and so on: up to a thousand times the largest run's.
    private static let numbers = 0...1e15
    /// Fields not bound to this range: a seed can be any number, and a target can be negative.
    private static let freeFields = ["seed", "target"]

    let result: BenchResult

    /// Checks every number of the file, except in `freeFields`.
    static func checkNumbers(_ value: Any, _ place: String = "") throws {
        switch value {
        case let fields as [String: Any]:
            for (name, value) in fields where !freeFields.contains(name) {
                try checkNumbers(value, place.isEmpty ? name : "\(place).\(name)")
            }
        case let list as [Any]:
            for (index, value) in list.enumerated() {
                try checkNumbers(value, "\(place)[\(index)]")
            }
        case let number as NSNumber:
            try require(numbers.contains(number.doubleValue), "\(place) is absurd: \(value)")
        default: break
        }
    }

    func check() throws {
        let shard = result.identity.shard
        try Self.require(
            Shard("\(shard.index)/\(shard.count)") != nil, "there is no shard \(shard)")
        let settings = result.settings
        try check(settings.workers, settings.threads, "the run")
        try Self.require(
            settings.target > -1 && settings.target < 100, "target is \(settings.target)")
        let precision = settings.precision ?? 1
        try Self.require(precision > 0 && precision < 1e9, "precision is \(precision)")
        try Self.require(settings.roundLimit > 0, "roundLimit is \(settings.roundLimit)")
        let names = result.contenders.map(\.name)
        try Self.require(Set(names).count == names.count, "two contenders have the same name")
        for row in result.rows { try check(row, Set(names)) }
    }

    private func check(_ workers: Int, _ threads: Int, _ name: String) throws {
        try Self.require((1...1 << 20).contains(workers), "workers is \(workers) in \(name)")
        try Self.require((1...1 << 20).contains(threads), "threads is \(threads) in \(name)")
    }

    private func check(_ row: ResultRow, _ contenders: Set<String>) throws {
        let name = "\(row.workload) on \(row.input)"
        let figures = row.figures.map(\.contender)
        try Self.require(
            Set(figures).count == figures.count, "\(name) has two figures of one contender")
        try Self.require(
            contenders.isSuperset(of: figures), "\(name) has figures of an unknown contender")
        try Self.require(
            result.inputs.contains { $0.name == row.input }, "\(name): there is no such input")
        try check(row.regime.workers, row.regime.threads, name)
        for comparison in row.comparisons { try check(comparison, Set(figures), name) }
    }

    private func check(_ comparison: RowComparison, _ contenders: Set<String>, _ row: String) throws
    {
        let name = "\(comparison.contender) / \(comparison.base) in \(row)"
        try Self.require(
            contenders.isSuperset(of: [comparison.contender, comparison.base]),
            "\(name) compares what has no figures")
        try check(comparison.ratio, comparison.ratios, name)
        try check(comparison.processorRatio, comparison.processorRatios ?? [], name)
    }

    private func check(_ interval: Interval?, _ ratios: [[Double]], _ name: String) throws {
        let interval = interval.map { [$0.lower, $0.median, $0.upper] } ?? []
        try Self.require(interval == interval.sorted(), "the interval of \(name) is not one")
        for ratio in ratios.joined() + interval {
            try Self.require(ratio > 1e-9 && ratio < 1e9, "a ratio of \(name) is absurd: \(ratio)")
        }
    }

    private static func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws {
        guard holds else { throw Refusal(reason: reason()) }
    }
}
