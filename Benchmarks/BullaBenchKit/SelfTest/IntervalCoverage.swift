/// Whether the interval of a run contains the true ratio as often as it claims.
///
/// Many synthetic runs whose true ratio is known are measured as real ones are, once with the
/// stopping rule in force and once for a number of rounds that was fixed before.
package struct IntervalCoverage: Sendable {
    /// What came of one way to end a run.
    package struct Tally: Sendable, Equatable {
        /// The runs whose interval contains the true ratio.
        package fileprivate(set) var coveredCount: Int
        /// The runs that ended after each number of rounds.
        package fileprivate(set) var endCounts: [Int: Int]

        package init(coveredCount: Int = 0, endCounts: [Int: Int] = [:]) {
            self.coveredCount = coveredCount
            self.endCounts = endCounts
        }

        package var experimentCount: Int { endCounts.values.reduce(0, +) }
    }

    /// 95 of 100 is what is claimed; fewer than 88 of 100 come by chance once in 680 times.
    package static let coveredMinimum = 0.88
    package static let trueRatio = 1.07
    /// So that runs end at each of the looks.
    package static let precision = 0.06
    package static let roundLimit = 40
    /// Of a run without a precision: as many as a short run has.
    package static let fixedRoundCount = 7

    private let experimentCount: Int
    private let seed: UInt64
    private let resampleCount: Int

    package init(experimentCount: Int = 100, seed: UInt64 = 1, resampleCount: Int = 4_000) {
        precondition(experimentCount > 0, "there is something to count")
        self.experimentCount = experimentCount
        self.seed = seed
        self.resampleCount = resampleCount
    }

    package func findings() -> [SelfTestFinding] {
        [
            Self.finding(
                "the interval of a run that stops when it is narrow contains the true ratio",
                tally(precision: Self.precision, roundLimit: Self.roundLimit)),
            Self.finding(
                "the interval of a run of a fixed length contains the true ratio",
                tally(precision: nil, roundLimit: Self.fixedRoundCount)),
        ]
    }

    /// Runs of which each ends as a rule of these says.
    package func tally(precision: Double?, roundLimit: Int) -> Tally {
        var tally = Tally()
        for number in 0..<experimentCount {
            let rule = StoppingRule(
                precision: precision, roundLimit: roundLimit, seed: seed(number),
                resampleCount: resampleCount)
            measure(run(number), until: rule, &tally)
        }
        return tally
    }

    /// The synthetic run of an experiment: the same for every way to end it.
    package func run(_ number: Int) -> SyntheticRun {
        SyntheticRun(ratio: Self.trueRatio, seed: seed(number))
    }

    private func seed(_ number: Int) -> UInt64 { Random.mixed(seed) ^ UInt64(number) }

    private func measure(_ run: SyntheticRun, until rule: StoppingRule, _ tally: inout Tally) {
        var (run, rule) = (run, rule)
        var rounds: [[Double]] = []
        while true {
            rounds.append(run.nextRound())
            let look = rule.look(at: rounds, isLast: false)
            guard look.isLast else { continue }
            tally.endCounts[rounds.count, default: 0] += 1
            tally.coveredCount += (look.interval?.contains(Self.trueRatio) ?? false) ? 1 : 0
            return
        }
    }

    /// Passed where enough intervals contain the true ratio.
    package static func finding(_ name: String, _ tally: Tally) -> SelfTestFinding {
        let share = Double(tally.coveredCount) / Double(tally.experimentCount)
        let ends = tally.endCounts.sorted { $0.key < $1.key }
            .map { "\($0.value) after \($0.key) rounds" }
        return SelfTestFinding(
            name: name, isPassed: share >= coveredMinimum,
            text: "\(tally.coveredCount) of \(tally.experimentCount) intervals contain "
                + "\(trueRatio), at least \(Format.fixed(100 * coveredMinimum, 0)) % expected; "
                + "ended: \(ends.joined(separator: ", "))")
    }
}
