/// Whether a cost stays below its target.
package enum Verdict: String, Codable, Sendable {
    case met, missed, undecided

    /// Fewer rounds than this decide nothing: the spread between them is not known well enough.
    package static let roundMinimum = 5

    /// Met where the whole interval lies at or below `limit`, missed where all of it lies above.
    ///
    /// - Parameters:
    ///   - ratio: time encrypted / time plain; nil where it is not known.
    ///   - limit: the greatest ratio allowed: 1.10 for a target of 10 %.
    package init(ratio: Interval?, rounds: Int, limit: Double) {
        guard let ratio, rounds >= Self.roundMinimum else { self = .undecided; return }
        self = ratio.upper <= limit ? .met : ratio.lower > limit ? .missed : .undecided
    }

    /// One missed row misses; then one undecided row leaves all undecided; no rows decide nothing.
    package init(all rows: [Verdict]) {
        self =
            rows.contains(.missed)
            ? .missed
            : rows.isEmpty || rows.contains(.undecided) ? .undecided : .met
    }
}
