/// Results of the parts of a run, put together into one result.
///
/// Shards of a run ran at the same time: what they did by the second adds up, round by round.
/// Repeats of a shard, in runs of another name, on another host or at another time, are further
/// rounds. Histograms are added, percentiles told from the sum; intervals and verdicts are worked
/// out anew from the rounds of all.
package struct ResultMerge {
    /// A result, and the file that it is from.
    package struct Part: Sendable {
        package let name: String
        package let result: BenchResult

        package init(name: String, result: BenchResult) {
            self.name = name
            self.result = result
        }

        var shard: Shard { result.identity.shard }
        /// The shard, and where it ran.
        var place: String {
            "shard \(shard) of the run \(result.identity.run) on \(result.identity.host)"
        }
    }

    private let parts: [Part]
    private let repeats: [MergeRepeat]
    private let doubles: [String]

    /// - Throws: ``BenchExit/input`` where the parts do not belong together, and why.
    package init(_ parts: [Part]) throws {
        guard let first = parts.first else { throw BenchError(.usage, "merge needs a result") }
        var distinct: [Part] = []
        var doubles: [String] = []
        for part in parts {
            try MergeCheck(first, part).check()
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
    /// Its shard is the whole; what is missing of it is told as its failure.
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
            inputs: repeats[0].inputs, contenders: first.contenders,
            places: places,
            skipped: Self.distinct(results.flatMap(\.skipped)) + doubles + rows.flatMap(\.skipped),
            rows: rows.compactMap(\.row), failure: failure)
    }

    private static func isSame(_ one: Part, _ other: Part) -> Bool {
        one.result.identity == other.result.identity
            && one.result.machine.time == other.result.machine.time
    }

    /// That of the first part; of others, what the processors and systems are.
    private var machine: Machine {
        let machines = parts.map(\.result.machine)
        var machine = machines[0]
        machine.processor = Self.joined(machines.map(\.processor))
        machine.system = Self.joined(machines.map(\.system))
        machine.kernel = Self.joined(machines.map(\.kernel))
        machine.openSSL = Self.joined(machines.map(\.openSSL))
        return machine
    }

    /// The most of any part.
    private var noise: MachineNoise {
        let noises = parts.map(\.result.noise)
        return MachineNoise(
            foreignShare: noises.map(\.foreignShare).max() ?? 0,
            stolenShare: noises.map(\.stolenShare).max() ?? 0)
    }

    private var places: [String] {
        let places = parts.flatMap { part in
            part.result.places.map { "\(part.result.identity.host): \($0)" }
        }
        return Self.distinct(places)
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
        distinct(texts).joined(separator: ", ")
    }

    private static func distinct(_ texts: [String]) -> [String] {
        texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
