/// How much longer one contender takes than another for the same work.
package struct RowComparison: Codable, Sendable, Equatable {
    package var contender: String
    package var base: String
    /// Time of the contender / time of the base: the median over all groups of slices, and between
    /// what the true one lies with 95 % confidence; nil for fewer than two rounds.
    package var ratio: Interval?
    /// The ratios of each round.
    package var ratios: [[Double]]
    /// Nil where no target is set for this pair.
    package var verdict: Verdict?

    package init(
        contender: String, base: String, ratio: Interval?, ratios: [[Double]], verdict: Verdict?
    ) {
        self.contender = contender
        self.base = base
        self.ratio = ratio
        self.ratios = ratios
        self.verdict = verdict
    }

    /// The median ratio, known without an interval from the first round on.
    package var median: Double? { ratio?.median ?? ratios.joined().median }
}
