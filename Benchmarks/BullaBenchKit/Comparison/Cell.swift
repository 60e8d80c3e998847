/// One workload on one source in one regime: a row of the table.
final class Cell {
    let workload: Workload
    let source: Source
    /// Which part of the store is cached when a slice begins.
    let temperature: Temperature
    private(set) var rounds: [RoundResult] = []

    /// How the rounds are divided into slices; nil until the first round has been calibrated.
    var plan: SlicePlan?

    private var rules: [StoppingRule]
    private var looks: [StoppingRule.Look?]

    init(
        _ workload: Workload, _ source: Source, _ temperature: Temperature, _ lineup: Lineup,
        _ options: ComparisonOptions
    ) {
        (self.workload, self.source, self.temperature) = (workload, source, temperature)
        rules = lineup.pairings.map { _ in
            StoppingRule(precision: options.precision, roundLimit: options.roundLimit)
        }
        looks = lineup.pairings.map { _ in nil }
    }

    func add(_ round: RoundResult) {
        rounds.append(round)
        look(isLast: false)
    }

    func end() { look(isLast: true) }

    /// Whether each rule took its last look; false without rules: the round limit ends such rows.
    var hasEnded: Bool { !looks.isEmpty && looks.allSatisfy { $0?.isLast ?? false } }

    /// Makes each pairing's rule look at the ratios so far, unless it has taken its last look.
    private func look(isLast: Bool) {
        for index in rules.indices where !(looks[index]?.isLast ?? false) {
            looks[index] = rules[index].look(at: rounds.map { $0.ratios[index] }, isLast: isLast)
        }
    }

    /// - Returns: nil before the first round.
    func row(_ lineup: Lineup, _ options: ComparisonOptions) -> ResultRow? {
        guard let facts = rounds.first?.facts else { return nil }
        return ResultRow(
            input: source.name, workload: workload.rawValue, unit: workload.unit,
            step: workload.step, regime: regime(lineup, facts, options),
            figures: lineup.contenders.indices.map { figures(lineup, $0) },
            comparisons: lineup.pairings.indices.map { comparison(lineup, $0, options) },
            roundCount: rounds.count)
    }

    private func figures(_ lineup: Lineup, _ contender: Int) -> Figures {
        let totals = rounds.map { $0.totals[contender] }
        var sum = RoundResult.Total()
        for total in totals {
            sum.work += total.work
            sum.nanoseconds += total.nanoseconds
            sum.latency.merge(total.latency)
            sum.costs.add(total.costs)
        }
        var figures = Figures(
            contender: lineup.contenders[contender].name, rates: totals.map(\.throughput),
            work: sum.work, seconds: sum.nanoseconds / 1e9, latency: sum.latency, costs: sum.costs)
        if workload == .load || workload.durability == .relaxed {
            figures.settledRates = totals.map(\.settledThroughput)
        }
        return figures
    }

    private func comparison(
        _ lineup: Lineup, _ index: Int, _ options: ComparisonOptions
    ) -> RowComparison {
        let pairing = lineup.pairings[index]
        let ratios = rounds.map { $0.ratios[index] }
        let ratio = looks[index]?.interval
        let processor = rounds.map { $0.processorRatios[index] }
        let verdict = Verdict(ratio: ratio, rounds: rounds.count, limit: 1 + options.target)
        return RowComparison(
            contender: lineup.contenders[pairing.contender].name,
            base: lineup.contenders[pairing.base].name, ratio: ratio, ratios: ratios,
            processorRatio: Interval(rounds: processor), processorRatios: processor,
            verdict: pairing.hasTarget ? verdict : nil)
    }

    private func regime(
        _ lineup: Lineup, _ facts: [EngineFacts], _ options: ComparisonOptions
    ) -> Regime {
        let configurations = Set(facts.filter(\.isEncrypted).map(\.configuration))
        return Regime(
            temperature: temperature == .hot && isOverCache(facts, options)
                ? .overCache : temperature,
            durability: workload.writes ? durability(options).rawValue : nil,
            readsPerSnapshot: readsPerSnapshot(options), workers: options.workers,
            threads: options.threads, rate: options.rate,
            cacheByteLimit: cacheByteLimit(options),
            setting: configurations.count == 1 ? configurations.first : nil)
    }

    /// How large a cache each engine may keep in its own memory.
    func cacheByteLimit(_ options: ComparisonOptions) -> Int {
        temperature == .memoryBound
            ? MemoryBudget(options, source).cacheByteLimit : options.cacheByteLimit
    }

    func durability(_ options: ComparisonOptions) -> BenchDurability {
        workload.durability ?? options.durability
    }

    private func isOverCache(_ facts: [EngineFacts], _ options: ComparisonOptions) -> Bool {
        facts.contains { ($0.liveByteCount ?? 0) > options.cacheByteLimit }
    }

    private func readsPerSnapshot(_ options: ComparisonOptions) -> Int? {
        switch workload {
        case .pointRead: options.rate == nil ? options.readsPerSnapshot : 1
        case .pointReadSnapshot: 1
        case .batchedRead: options.readsPerBatch
        default: nil
        }
    }
}

package struct RoundResult: Sendable {
    package struct Total: Sendable {
        package var work = 0
        package var nanoseconds = 0.0
        /// How long it took, after the slices, to finish the work that their commits had deferred.
        package var afterNanoseconds = 0.0
        package var latency = Latency()
        package var costs = Costs()

        package init() {}

        package mutating func add(_ slice: SliceResult) {
            work += slice.work
            nanoseconds += slice.nanoseconds
            costs.cpuSeconds += slice.cpuSeconds
        }

        package mutating func add(_ sum: SliceSum) {
            latency.merge(sum.latency)
            costs.add(sum.costs)
            afterNanoseconds += sum.afterNanoseconds
        }

        package var throughput: Double { rate(nanoseconds) }
        package var settledThroughput: Double { rate(nanoseconds + afterNanoseconds) }

        private func rate(_ nanoseconds: Double) -> Double {
            nanoseconds > 0 ? Double(work) * 1e9 / nanoseconds : 0
        }
    }

    /// Time of the contender / time of the base, for each pairing and each group of slices.
    package private(set) var ratios: [[Double]]
    /// The ratios of processor times, for the same groups.
    package private(set) var processorRatios: [[Double]]
    package var totals: [Total]
    package let facts: [EngineFacts]
    package var places: [[ObtainedPlacement]] = []
    private let pairings: [Lineup.Pairing]

    package init(facts: [EngineFacts], pairings: [Lineup.Pairing]) {
        (self.facts, self.pairings) = (facts, pairings)
        totals = facts.map { _ in Total() }
        ratios = pairings.map { _ in [] }
        processorRatios = ratios
    }

    /// Adds a group: the slices of each contender, in which all contenders did the same work.
    package mutating func add(_ slices: [[SliceResult]]) {
        for (contender, slices) in slices.enumerated() {
            for slice in slices { totals[contender].add(slice) }
        }
        let times = slices.map { $0.reduce(0) { $0 + $1.nanoseconds } }
        let processorTimes = slices.map { $0.reduce(0) { $0 + $1.cpuSeconds } }
        for (index, pairing) in pairings.enumerated() {
            ratios[index] += Self.ratio(times, pairing)
            processorRatios[index] += Self.ratio(processorTimes, pairing)
        }
    }

    /// The ratio of a pairing; none if the clock measured no time for one of its contenders.
    private static func ratio(_ times: [Double], _ pairing: Lineup.Pairing) -> [Double] {
        let (time, base) = (times[pairing.contender], times[pairing.base])
        return time > 0 && base > 0 ? [time / base] : []
    }
}
