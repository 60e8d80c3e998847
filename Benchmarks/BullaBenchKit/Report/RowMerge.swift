struct RowMerge {
    /// The merged row; nil if a part lacks it, because a sum over the others would be too small.
    let row: ResultRow?
    let skipped: [String]

    /// All rows: first those of the first part, in order, then those that only later parts have.
    static func all(of repeats: [MergeRepeat], settings: RunSettings) -> [RowMerge] {
        let keys = repeats.flatMap(\.parts).flatMap(\.result.rows).map(\.key)
        return keys.enumerated().filter { keys.firstIndex(of: $1) == $0 }.map(\.element).map {
            RowMerge($0, repeats, settings)
        }
    }

    private init(_ key: ResultRow.Key, _ repeats: [MergeRepeat], _ settings: RunSettings) {
        let lacking = repeats.flatMap(\.parts).filter { part in
            !part.result.rows.contains { $0.key == key }
        }
        guard lacking.isEmpty else {
            row = nil
            skipped = lacking.map { "\(key.text): not in \($0.name), \($0.place)" }
            return
        }
        let groups = repeats.map { turn in
            turn.parts.compactMap { part in part.result.rows.first { $0.key == key } }
        }
        // If there are complete runs, the rates of incomplete ones are left out.
        let whole = zip(repeats, groups).filter(\.0.isComplete).map(\.1)
        let merge = GroupMerge(
            groups: groups, rated: whole.isEmpty ? groups : whole, settings: settings)
        row = merge.row
        skipped = merge.skipped.map { "\(key.text): \($0)" }
    }
}

/// Merges rows of shards, in groups: the shards of one group ran at the same time.
struct GroupMerge {
    let groups: [[ResultRow]]
    /// The groups whose rates go into the result: the complete ones or, if there are none, all.
    let rated: [[ResultRow]]
    let settings: RunSettings

    var row: ResultRow {
        let first = groups[0][0]
        return ResultRow(
            input: first.input, workload: first.workload, unit: first.unit, step: first.step,
            regime: regime, figures: contenders.map(figures),
            comparisons: first.comparisons.filter(isKnown).map(comparison),
            roundCount: rated.map { $0.map(\.roundCount).min() ?? 0 }.reduce(0, +))
    }

    var skipped: [String] {
        let lost = Set(groups.joined().flatMap { $0.figures.map(\.contender) })
            .subtracting(contenders).sorted().map { "\($0) is not in all parts" }
        let uneven = rated.contains { group in Set(group.map(\.roundCount)).count > 1 }
        return lost
            + (uneven ? ["rounds that some shards lack are left out of the throughput"] : [])
    }

    /// The contenders that have figures in all parts.
    private var contenders: [String] {
        groups[0][0].figures.map(\.contender).filter { name in
            groups.joined().allSatisfy { $0.figures(of: name) != nil }
        }
    }

    private func isKnown(_ comparison: RowComparison) -> Bool {
        [comparison.contender, comparison.base].allSatisfy(contenders.contains)
    }

    /// The regime of all shards together, whose workers and rates add up.
    private var regime: Regime {
        let count = rated.map(\.count).max() ?? 1
        var regime = groups[0][0].regime
        regime.workers *= count
        regime.rate = regime.rate.map { $0 * Double(count) }
        return regime
    }

    private func figures(_ contender: String) -> Figures {
        let groups = groups.map { $0.compactMap { $0.figures(of: contender) } }
        var latency = Latency()
        var costs: [Costs] = []
        for group in groups {
            for figures in group { latency.merge(figures.latency) }
            costs.append(
                group.dropFirst().reduce(into: group[0].costs) { $0.join(shard: $1.costs) })
        }
        var figures = Figures(
            contender: contender, rates: rated.flatMap { Self.rates($0, contender, \.rates) },
            work: groups.joined().map(\.work).reduce(0, +),
            seconds: groups.map { $0.map(\.seconds).max() ?? 0 }.reduce(0, +), latency: latency,
            costs: costs.dropFirst().reduce(into: costs[0]) { $0.add($1) })
        let settled = rated.flatMap { Self.rates($0, contender, \.settledRates) }
        figures.settledRates = settled.isEmpty ? nil : settled
        return figures
    }

    /// The sums of the shards' throughputs, for each round that all of them had.
    private static func rates(
        _ shards: [ResultRow], _ contender: String, _ rates: (Figures) -> [Double]?
    ) -> [Double] {
        let rates = shards.compactMap { $0.figures(of: contender).flatMap(rates) }
        let count = rates.map(\.count).min() ?? 0
        return (0..<count).map { round in rates.map { $0[round] }.reduce(0, +) }
    }

    /// The confidence of one interval: above 95 % if runs could end early (``StoppingRule``).
    private var confidence: Double {
        var rule = StoppingRule(
            precision: settings.precision, roundLimit: settings.roundLimit)
        return rule.look(at: [], isLast: false).confidence
    }

    private func interval(_ ratios: [[Double]]) -> Interval? {
        Interval(rounds: ratios, confidence: confidence)
    }

    private func comparison(_ first: RowComparison) -> RowComparison {
        let comparisons = groups.joined().compactMap { row in
            row.comparisons.first { $0.contender == first.contender && $0.base == first.base }
        }
        let ratios = comparisons.flatMap(\.ratios)
        let processorRatios = comparisons.flatMap { $0.processorRatios ?? [] }
        let ratio = interval(ratios)
        let verdict = Verdict(ratio: ratio, rounds: ratios.count, limit: 1 + settings.target)
        return RowComparison(
            contender: first.contender, base: first.base, ratio: ratio, ratios: ratios,
            processorRatio: interval(processorRatios),
            processorRatios: first.processorRatios.map { _ in processorRatios },
            verdict: first.verdict == nil ? nil : verdict)
    }
}
