internal import Glibc

/// When a run has seen enough: as soon as the interval of its median ratio is narrow.
///
/// Who looks after each round and stops at the first narrow interval picks the moments at which it
/// is narrow by luck, and is wrong more often than it claims. So the rule looks a few times only,
/// at numbers of rounds fixed before the run, and every interval is so wide that *all* of them
/// contain the true ratio with 95 %, whichever of them the run stops at:
///
///     look          1      2      3      4      5      6      7    the last
///     after         8     12     18     27     40     60     90    rounds, or when the run ends
///
///     looks in all  1      2      3      4      5      6      7      8
///     reach       1.960  2.147  2.265  2.354  2.423  2.482  2.532  2.606   standard errors
///
/// The last look, at the limit of rounds or when the time is up, is one of them, and only those
/// before it that come below the limit are planned. The numbers grow by half, so that a run is at
/// most half as long again as it must be. They begin at 8: the medians of n rounds lie all on one
/// side of the true one with a chance of 2 / 2^n, which for fewer than 8 is by itself more than
/// such an interval may miss.
///
/// A run that ends before its second look would have come has looked once, and its interval is the
/// plain one of 95 %: when the time is up does not depend on the ratios.
///
/// - Source: Jennison and Turnbull, "Interim analyses: the repeated confidence interval approach",
///   Journal of the Royal Statistical Society B 51, 1989; the boundary is Pocock's ("Group
///   sequential methods in the design and analysis of clinical trials", Biometrika 64, 1977), which
///   is the same at each look. His published constants are for looks at equal distances (2.413 for
///   five); those above solve the same equation for these numbers of rounds, by the integration of
///   Armitage, McPherson and Rowe (Journal of the Royal Statistical Society A 132, 1969), rounded
///   up. The eighth holds however late the last look comes.
package struct StoppingRule: Sendable {
    package struct Look: Sendable, Equatable {
        /// Whether this was the last look: no further round is needed, or none is possible.
        package let isLast: Bool
        /// Of the median ratio, at the newest look; nil where fewer than two rounds have ratios.
        package let interval: Interval?
        /// Of this interval by itself: of all looks together it is 95 %.
        package let confidence: Double
    }

    /// The rounds after which a run that may go on is looked at.
    package static let schedule = [8, 12, 18, 27, 40, 60, 90]
    /// The reach of an interval, in standard errors, by the number of looks.
    private static let reaches = [1.960, 2.147, 2.265, 2.354, 2.423, 2.482, 2.532, 2.606]

    private let precision: Double?
    private let roundLimit: Int
    private let interim: [Int]
    private var newest: Look
    /// The rounds that the newest look saw; none before the first.
    private var newestRoundCount = 0

    /// - Parameters:
    ///   - precision: how wide the interval may be, from end to end, as a share of the median:
    ///     0.02. Nil: the run never stops because of what it measured, and looks once, at its end.
    ///   - roundLimit: the rounds that the run never exceeds.
    package init(precision: Double?, roundLimit: Int) {
        precondition(roundLimit > 0 && precision.map { $0 > 0 } ?? true, "a run and its precision")
        (self.precision, self.roundLimit) = (precision, roundLimit)
        interim = precision == nil ? [] : Self.schedule.filter { $0 < roundLimit }
        newest = Look(isLast: false, interval: nil, confidence: Self.confidence(interim.count + 1))
    }

    package var lookCount: Int { interim.count + 1 }

    /// Looks, if it is the time to: otherwise the answer is the newest look again.
    ///
    /// - Parameters:
    ///   - rounds: the ratios of each round so far.
    ///   - isLast: whether the run ends here because its time is up.
    package mutating func look(at rounds: [[Double]], isLast: Bool) -> Look {
        let isLast = isLast || rounds.count >= roundLimit
        guard isLast || isDue(rounds.count) else { return newest }
        let isOnly = isLast && newestRoundCount == 0
        let confidence = Self.confidence(isOnly ? 1 : lookCount)
        let interval = Interval(rounds: rounds, confidence: confidence)
        newest = Look(
            isLast: isLast || isNarrow(interval), interval: interval, confidence: confidence)
        newestRoundCount = rounds.count
        return newest
    }

    /// Whether a look was planned between the newest one and now.
    private func isDue(_ roundCount: Int) -> Bool {
        interim.contains { newestRoundCount < $0 && $0 <= roundCount }
    }

    private func isNarrow(_ interval: Interval?) -> Bool {
        guard let interval, let precision else { return false }
        return interval.upper - interval.lower <= precision * interval.median
    }

    /// What each interval contains the true ratio with, where there are so many looks.
    private static func confidence(_ lookCount: Int) -> Double {
        lookCount == 1 ? 0.95 : erf(reaches[lookCount - 1] / 2.0.squareRoot())
    }
}

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
            ? .missed : rows.isEmpty || rows.contains(.undecided) ? .undecided : .met
    }
}

extension Verdict {
    package var exit: BenchExit {
        switch self {
        case .met: .met
        case .missed: .missed
        case .undecided: .undecided
        }
    }
}
