internal import Glibc

/// When a run has seen enough: as soon as the interval of its median ratio is narrow.
///
/// A rule that looked after each round, and stopped at the first narrow interval, would select
/// moments when it is narrow by luck, and so be wrong more often than claimed. So the rule looks
/// only a few times, at numbers of rounds fixed before the run. The intervals are so wide that
/// *all* of them contain the true ratio with 95 % confidence, whichever look stops the run:
///
///     look          1      2      3      4      5      6      7    the last
///     after         8     12     18     27     40     60     90    rounds, or when the run ends
///
///     looks in all  1      2      3      4      5      6      7      8
///     reach       1.960  2.147  2.265  2.354  2.423  2.482  2.532  2.606   standard errors
///
/// The last look comes at the limit of rounds or when the time is up; the others are the table's
/// looks before that limit. The numbers of rounds grow by half, so a run takes at most 1.5 times as
/// many rounds as necessary. They begin at 8: for n < 8, the chance that all n medians lie on one
/// side of the true one, 2 / 2^n, exceeds 0.9 %, which is how often each of eight looks may miss.
///
/// If the time is up before the first planned look, the only interval is the ordinary one of 95 %,
/// because the moment when the time is up does not depend on the ratios.
///
/// - Source: Jennison and Turnbull, "Interim analyses: the repeated confidence interval approach",
///   Journal of the Royal Statistical Society B 51, 1989; the boundary is Pocock's ("Group
///   sequential methods in the design and analysis of clinical trials", Biometrika 64, 1977), which
///   is the same at each look. His published constants are for looks at equal distances (2.413 for
///   five); those above solve the same equation for these numbers of rounds, by the integration of
///   Armitage, McPherson and Rowe (Journal of the Royal Statistical Society A 132, 1969), rounded
///   up. The eighth constant holds however late the last look comes.
package struct StoppingRule: Sendable {
    package struct Look: Sendable, Equatable {
        /// Whether this was the last look: no further round is needed, or none is possible.
        package let isLast: Bool
        /// The interval of the median ratio at this look; nil if it would tell nothing.
        package let interval: Interval?
        /// The confidence of this interval by itself; that of all looks together is 95 %.
        package let confidence: Double
    }

    /// The numbers of rounds at which the rule looks, apart from the last look.
    package static let schedule = [8, 12, 18, 27, 40, 60, 90]
    /// The reach of an interval, in standard errors, by the number of looks.
    private static let reaches = [1.960, 2.147, 2.265, 2.354, 2.423, 2.482, 2.532, 2.606]

    private let precision: Double?
    private let roundLimit: Int
    private let interim: [Int]
    private var newest: Look
    /// The number of rounds at the newest look; 0 before the first.
    private var newestRoundCount = 0

    /// - Parameters:
    ///   - precision: how wide the interval may be, from end to end, as a share of the median, such
    ///     as 0.02. Nil: the ratios never stop the run; the rule looks only once, at the run's end.
    ///   - roundLimit: the greatest number of rounds of the run.
    package init(precision: Double?, roundLimit: Int) {
        precondition(roundLimit > 0 && precision.map { $0 > 0 } ?? true, "both are positive")
        (self.precision, self.roundLimit) = (precision, roundLimit)
        interim = precision == nil ? [] : Self.schedule.filter { $0 < roundLimit }
        newest = Look(isLast: false, interval: nil, confidence: Self.confidence(interim.count + 1))
    }

    package var lookCount: Int { interim.count + 1 }

    /// Makes a look if one is due; otherwise returns the newest look again.
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

    /// Whether a look has come due since the newest one.
    private func isDue(_ roundCount: Int) -> Bool {
        interim.contains { newestRoundCount < $0 && $0 <= roundCount }
    }

    private func isNarrow(_ interval: Interval?) -> Bool {
        guard let interval, let precision else { return false }
        return interval.upper - interval.lower <= precision * interval.median
    }

    /// The confidence of each interval if there are this many looks.
    private static func confidence(_ lookCount: Int) -> Double {
        lookCount == 1 ? 0.95 : erf(reaches[lookCount - 1] / 2.0.squareRoot())
    }
}

/// Whether a cost stays below its target.
package enum Verdict: String, Codable, Sendable {
    case met, missed, undecided

    /// The minimum number of rounds for a decision, because fewer do not show their spread well.
    package static let roundMinimum = 5

    /// Met if the whole interval lies at or below `limit`, missed if all of it lies above.
    ///
    /// - Parameters:
    ///   - ratio: usually time encrypted / time plain; nil if it is not known.
    ///   - limit: the greatest ratio allowed: 1.10 for a target of 10 %.
    package init(ratio: Interval?, rounds: Int, limit: Double) {
        guard let ratio, rounds >= Self.roundMinimum else { self = .undecided; return }
        self = ratio.upper <= limit ? .met : ratio.lower > limit ? .missed : .undecided
    }

    /// Missed if any row is; otherwise undecided if any row is, or if there are no rows; else met.
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
