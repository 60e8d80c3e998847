internal import ArgumentParser
internal import BullaBenchKit

extension BenchSuite: ExpressibleByArgument {}
extension BenchDurability: ExpressibleByArgument {}

/// A number of bytes: `4096`, `64K`, `256M`, `1G`.
struct ByteCountOption: ExpressibleByArgument, CustomStringConvertible {
    let count: Int

    var description: String { ByteCount.text(count) }

    init(count: Int) {
        self.count = count
    }

    init?(argument: String) {
        guard let count = ByteCount.parsed(argument) else { return nil }
        self.count = count
    }
}

/// A share in percent: `10%`, `10`, `2.5`.
struct PercentOption: ExpressibleByArgument, CustomStringConvertible {
    let share: Double

    var description: String { Format.fixed(share * 100, 1) + "%" }

    init(share: Double) {
        self.share = share
    }

    init?(argument: String) {
        guard let share = Percent.parsed(argument) else { return nil }
        self.share = share
    }
}

/// Workloads by name, with commas between them.
struct WorkloadsOption: ExpressibleByArgument, CustomStringConvertible {
    let list: [Workload]

    var description: String { list.map(\.rawValue).joined(separator: ",") }

    init(list: [Workload]) {
        self.list = list
    }

    init?(argument: String) {
        guard let list = Workload.list(argument) else { return nil }
        self.list = list
    }
}

/// What generated values are made of.
struct ValuesOption: ExpressibleByArgument, CustomStringConvertible {
    let kind: ValueKind

    var description: String { kind.description }

    init(kind: ValueKind) {
        self.kind = kind
    }

    init?(argument: String) {
        guard let kind = ValueKind(argument) else { return nil }
        self.kind = kind
    }
}

/// A part of the key space: `0/8`.
struct ShardOption: ExpressibleByArgument, CustomStringConvertible {
    let shard: Shard

    var description: String { shard.description }

    init(shard: Shard) {
        self.shard = shard
    }

    init?(argument: String) {
        guard let shard = Shard(argument) else { return nil }
        self.shard = shard
    }
}

/// Regimes by name, with commas between them.
struct RegimesOption: ExpressibleByArgument, CustomStringConvertible {
    private static let known = [Temperature.hot, .cold, .disk, .memoryBound]

    let temperatures: [Temperature]

    var description: String { temperatures.map(\.rawValue).joined(separator: ",") }

    init(temperatures: [Temperature]) {
        self.temperatures = temperatures
    }

    init?(argument: String) {
        let names = argument.split(separator: ",").map(String.init)
        let list = Self.known.filter { names.contains($0.rawValue) }
        guard !names.isEmpty, list.count == Set(names).count else { return nil }
        temperatures = list
    }
}
