/// Merges the results of a run's parts into one result.
///
/// Shards of a run ran at the same time, so their throughputs are added, round by round. Repeats of
/// a shard (by a run of another name, on another host or at another time) count as further rounds.
/// Percentiles come from the sum of the histograms, and new intervals and verdicts from all rounds.
package struct ResultMerge {
    /// A result, and the name of its file.
    package struct Part: Sendable {
        package let name: String
        package let result: BenchResult

        package init(name: String, result: BenchResult) {
            (self.name, self.result) = (name, result)
        }

        var shard: Shard { result.identity.shard }
        var place: String {
            "shard \(shard) of the run \(result.identity.run) on \(result.identity.host)"
        }
    }

    private let parts: [Part]
    private let repeats: [MergeRepeat]
    private let doubles: [String]

    /// - Throws: ``BenchExit/input``, with the reason, if the parts do not belong together.
    package init(_ parts: [Part]) throws {
        guard let first = parts.first else { throw BenchError(.usage, "merge needs a result") }
        var distinct: [Part] = []
        var doubles: [String] = []
        for part in parts {
            try MergeCheck(first: first, other: part).check()
            if let same = distinct.first(where: { Self.isSame($0, part) }) {
                doubles.append("\(part.name) is the same result as \(same.name): counted once")
            } else {
                distinct.append(part)
            }
        }
        self.parts = distinct
        self.doubles = doubles
        repeats = MergeRepeat.all(of: distinct)
        try MergeCheck.checkInputs(repeats)
    }

    /// The parts as one result.
    ///
    /// Its `shard` is `whole`; its `failure` names missing shards, and parts that ended early.
    package func merged() -> BenchResult {
        let first = parts[0].result
        let results = parts.map(\.result)
        let rows = RowMerge.all(of: repeats, settings: first.settings)
        return BenchResult(
            command: first.command,
            identity: RunIdentity(
                run: Self.joined(results.map(\.identity.run)),
                host: Self.joined(results.map(\.identity.host)), shard: .whole),
            settings: first.settings, machine: machine, noise: noise,
            seconds: repeats.map { $0.parts.map(\.result.seconds).max() ?? 0 }.reduce(0, +),
            inputs: repeats[0].inputs, contenders: first.contenders, places: places,
            skipped: results.flatMap(\.skipped).distinct + doubles + rows.flatMap(\.skipped),
            rows: rows.compactMap(\.row), failure: failure)
    }

    private static func isSame(_ one: Part, _ other: Part) -> Bool {
        one.result.identity == other.result.identity
            && one.result.machine.time == other.result.machine.time
    }

    /// The machine of the first part, with the processors and systems of all parts.
    private var machine: Machine {
        let machines = parts.map(\.result.machine)
        var machine = machines[0]
        machine.processor = Self.joined(machines.map(\.processor))
        machine.system = Self.joined(machines.map(\.system))
        machine.kernel = Self.joined(machines.map(\.kernel))
        machine.openSSL = Self.joined(machines.map(\.openSSL))
        return machine
    }

    private var noise: MachineNoise {
        let noises = parts.map(\.result.noise)
        return MachineNoise(
            foreignShare: noises.map(\.foreignShare).max() ?? 0,
            stolenShare: noises.map(\.stolenShare).max() ?? 0)
    }

    private var places: [String] {
        parts.flatMap { part in part.result.places.map { "\(part.result.identity.host): \($0)" } }
            .distinct
    }

    private var failure: String? {
        let missing = repeats.compactMap(\.missing)
        let failed = parts.compactMap { part in
            part.result.failure.map { "\(part.place) ended early: \($0)" }
        }
        let texts = missing + failed
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func joined(_ texts: [String]) -> String {
        texts.distinct.joined(separator: ", ")
    }
}

/// Shards of one run, none of them twice; if none is missing, they did the run's whole work.
struct MergeRepeat: Sendable {
    private static let nameLimit = 16

    let run: String
    let shardCount: Int
    let parts: [ResultMerge.Part]

    /// Puts each part into the first group of its run that has no part of the same shard yet.
    static func all(of parts: [ResultMerge.Part]) -> [MergeRepeat] {
        var repeats: [(run: String, parts: [ResultMerge.Part])] = []
        for part in parts {
            let run = part.result.identity.run
            let place = repeats.firstIndex { other in
                other.run == run && !other.parts.contains { $0.shard == part.shard }
            }
            if let place {
                repeats[place].parts.append(part)
            } else {
                repeats.append((run, [part]))
            }
        }
        return repeats.map { run, parts in
            MergeRepeat(
                run: run, shardCount: parts[0].shard.count,
                parts: parts.sorted { $0.shard.index < $1.shard.index })
        }
    }

    var isComplete: Bool { parts.count == shardCount }

    /// The names of the first missing shards, and how many more there are; nil if none is missing.
    var missing: String? {
        let there = Set(parts.map(\.shard.index))
        let indices = (0..<shardCount).filter { !there.contains($0) }
        guard !indices.isEmpty else { return nil }
        let names = indices.prefix(Self.nameLimit).map { "\($0)/\(shardCount)" }
        let more = indices.count > names.count ? " and \(indices.count - names.count) more" : ""
        return "of the run \(run), the shards \(names.joined(separator: ", "))\(more) are missing"
    }

    var inputs: [ResultInput] {
        var inputs = parts[0].result.inputs
        for part in parts.dropFirst() {
            for (place, input) in part.result.inputs.enumerated() {
                inputs[place].recordCount += input.recordCount
                inputs[place].payloadByteCount += input.payloadByteCount
                inputs[place].digest = inputs[place].digest + input.digest
            }
        }
        return inputs
    }
}

/// Checks whether two results can be parts of one result.
struct MergeCheck {
    let first: ResultMerge.Part
    let other: ResultMerge.Part

    /// - Throws: ``BenchExit/input``, which says what differs.
    func check() throws { try check(Self.traits) }

    /// Checks that repeats of a shard, and repeated whole runs, worked on the same records.
    static func checkInputs(_ repeats: [MergeRepeat]) throws {
        for (place, later) in repeats.enumerated() {
            for same in repeats.prefix(place).flatMap(\.parts) {
                guard let part = later.parts.first(where: { $0.shard == same.shard }) else {
                    continue
                }
                try MergeCheck(first: same, other: part).check { result in
                    let records = result.inputs.map { "\($0.name): \($0.digest)" }
                    return [("records", records.joined(separator: ", "))]
                }
            }
        }
    }

    private typealias Trait = (name: String, text: String)

    /// What must be the same in all parts; of the settings, all but the seed and the folder.
    private static func traits(_ result: BenchResult) -> [Trait] {
        let contenders = result.contenders.map { "\($0.name) (\($0.engine), \($0.configuration))" }
        let settings = Mirror(reflecting: result.settings).children.map { setting in
            let text = "\(setting.value)"
            let isSome = text.hasPrefix("Optional(")
            return (setting.label ?? "", isSome ? String(text.dropFirst(9).dropLast()) : text)
        }
        return [
            ("command", result.command), ("shard count", "\(result.identity.shard.count)"),
            ("inputs", result.inputs.map(\.name).joined(separator: ", ")),
            ("contenders", contenders.joined(separator: ", ")),
        ] + settings.filter { $0.0 != "seed" && $0.0 != "directory" }
    }

    private func check(_ traits: (BenchResult) -> [Trait]) throws {
        for (one, two) in zip(traits(first.result), traits(other.result)) where one != two {
            throw BenchError(
                .input,
                "merge \(first.name) and \(other.name): their \(one.name) differ: \(one.text) and "
                    + two.text)
        }
    }
}
