/// One workload on one input: what each contender did, and how they compare.
package struct ResultRow: Codable, Sendable {
    package var input: String
    package var workload: String
    /// What is counted by the second.
    package var unit: String
    /// What a latency is the latency of.
    package var step: String
    package var regime: Regime
    /// In the order of the result's contenders.
    package var figures: [Figures]
    package var comparisons: [RowComparison]
    package var roundCount: Int

    package init(
        input: String, workload: String, unit: String, step: String, regime: Regime,
        figures: [Figures], comparisons: [RowComparison], roundCount: Int
    ) {
        self.input = input
        self.workload = workload
        self.unit = unit
        self.step = step
        self.regime = regime
        self.figures = figures
        self.comparisons = comparisons
        self.roundCount = roundCount
    }

    /// That of all comparisons that have a target; nil where none has.
    package var verdict: Verdict? {
        let verdicts = comparisons.compactMap(\.verdict)
        return verdicts.isEmpty ? nil : Verdict(all: verdicts)
    }

    package func figures(of contender: String) -> Figures? {
        figures.first { $0.contender == contender }
    }
}
