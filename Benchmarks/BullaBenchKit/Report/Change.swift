/// What became of a throughput from one result to the next.
package enum Change: String, Codable, CaseIterable, Sendable {
    case regression, improvement, unchanged, undecided

    /// A regression where the whole interval lies beyond the threshold, an improvement likewise;
    /// unchanged where all of it lies between the two thresholds.
    ///
    /// - Parameters:
    ///   - ratio: throughput after / throughput before; nil where it is not known.
    ///   - rounds: of the result that has fewer.
    ///   - threshold: 0.05 for 5 %.
    package init(ratio: Interval?, rounds: Int, threshold: Double) {
        guard let ratio, rounds >= Verdict.roundMinimum else { self = .undecided; return }
        let (low, high) = (1 - threshold, 1 + threshold)
        if ratio.upper < low {
            self = .regression
        } else if ratio.lower > high {
            self = .improvement
        } else {
            self = ratio.lower >= low && ratio.upper <= high ? .unchanged : .undecided
        }
    }

    /// One regression is one of the whole; then one that is undecided leaves all undecided.
    package init(all changes: [Change]) {
        if changes.contains(.regression) {
            self = .regression
        } else if changes.isEmpty || changes.contains(.undecided) {
            self = .undecided
        } else {
            self = changes.contains(.improvement) ? .improvement : .unchanged
        }
    }

    /// The exit status that says it.
    package var exit: BenchExit {
        switch self {
        case .improvement, .unchanged: .met
        case .regression: .missed
        case .undecided: .undecided
        }
    }
}
