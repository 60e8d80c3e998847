/// What encryption costs one workload on one input.
package struct OverheadRow: Encodable, Sendable {
    /// One side of the row.
    package struct Figures: Encodable, Sendable {
        /// In the workload's unit by the second: the median over the rounds.
        package var throughput: Double
        package var p50: UInt64
        package var p99: UInt64
        package var latency: Latency

        init(_ totals: [RoundResult.Total]) {
            throughput = totals.map(\.throughput).median ?? 0
            latency = Latency()
            for total in totals { latency.merge(total.latency) }
            p50 = latency.percentile(50) ?? 0
            p99 = latency.percentile(99) ?? 0
        }
    }

    package var input: String
    package var workload: Workload
    package var unit: String
    /// What a latency is the latency of.
    package var step: String
    package var regime: Regime
    package var plain: Figures
    package var encrypted: Figures
    /// Time encrypted / time plain: the median over all groups of slices; nil for fewer than two
    /// rounds.
    package var ratio: Interval?
    /// The ratios of each round.
    package var ratios: [[Double]]
    package var verdict: Verdict

    /// - Returns: nil without a round.
    package init?(
        input: String, workload: Workload, rounds: [RoundResult], options: OverheadOptions
    ) {
        guard let first = rounds.first else { return nil }
        self.input = input
        self.workload = workload
        regime = Regime(workload, options, first.facts.encrypted)
        unit = workload.unit
        step = workload.step
        plain = Figures(rounds.map(\.totals.plain))
        encrypted = Figures(rounds.map(\.totals.encrypted))
        ratios = rounds.map(\.ratios)
        var bootstrap = Bootstrap(seed: options.seed)
        ratio = bootstrap.interval(ofMedian: ratios)
        verdict = Verdict(ratio: ratio, rounds: rounds.count, limit: 1 + options.target)
    }
}
