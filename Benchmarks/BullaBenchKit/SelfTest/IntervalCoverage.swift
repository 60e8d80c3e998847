internal import BullaText
internal import Glibc

/// Checks whether the intervals of runs contain the true ratio as often as they claim.
///
/// Synthetic runs of known ratio are measured like real runs, with and without the stopping rule.
package struct IntervalCoverage: Sendable {
    package struct Tally: Sendable, Equatable {
        package fileprivate(set) var coveredCount: Int
        package fileprivate(set) var endCounts: [Int: Int]

        package init(coveredCount: Int = 0, endCounts: [Int: Int] = [:]) {
            (self.coveredCount, self.endCounts) = (coveredCount, endCounts)
        }

        package var experimentCount: Int { endCounts.values.reduce(0, +) }
    }

    /// The claim is 95 of 100 intervals; if it is true, the chance of fewer than 88 is 1 in 680.
    package static let coveredMinimum = 0.88
    package static let trueRatio = 1.07
    /// Chosen so that some runs end at each look of the stopping rule.
    package static let precision = 0.06
    package static let roundLimit = 40
    /// The rounds of a run without a precision: the fewest that decide a verdict.
    package static let fixedRoundCount = Verdict.roundMinimum

    private let experimentCount: Int
    private let seed: UInt64

    package init(experimentCount: Int = 100, seed: UInt64 = 1) {
        precondition(experimentCount > 0, "there is something to count")
        (self.experimentCount, self.seed) = (experimentCount, seed)
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

    /// Measures runs, each until the given rule ends it, and counts the outcomes.
    package func tally(precision: Double?, roundLimit: Int) -> Tally {
        var tally = Tally()
        for number in 0..<experimentCount {
            let rule = StoppingRule(precision: precision, roundLimit: roundLimit)
            measure(run(number), until: rule, &tally)
        }
        return tally
    }

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

/// A simulated run, whose true median ratio is known.
///
/// The run has everything that makes real runs hard to judge. Each round's processes shift all of
/// its ratios together. Each slice has its own noise, and sometimes a disturbance that can only
/// slow it down. From slice to slice of a group, the machine gets slower or faster, alike in all
/// groups of a round. It also favours one side. Which side, and by how much, changes slowly, so
/// successive groups are alike. And errors above the true ratio are larger than those below it.
///
/// The true median is exact. Suppose first that errors above and below the true ratio are equally
/// large. Then exchanging the sides negates the error's logarithm. The slow change is symmetric.
/// The drift favours one side in half of the groups, and the other side as much in the rest. So the
/// logarithm of a ratio is distributed symmetrically around the logarithm of the true ratio. Making
/// the errors above the true ratio larger does not move the median.
package struct SyntheticRun {
    package static let groupsPerRound = 4

    /// How far a side's processes shift a round, as a logarithm.
    private static let roundNoise = 0.02
    private static let sliceNoise = 0.02
    /// One slice in ten is disturbed, by a tenth of its time on average.
    private static let disturbance = (share: 0.1, cost: 0.1)
    /// The greatest drift from one slice to the next, up or down.
    private static let driftLimit = 0.015
    /// The share of a group's error that the next group inherits, and the noise that is added.
    private static let wandering = (memory: 0.8, noise: 0.01)
    private static let stretch = 1.5

    private let ratio: Double
    private var random: Random

    package init(ratio: Double, seed: UInt64) {
        self.ratio = ratio
        random = Random(seed, 0x5EED)
    }

    package mutating func rounds(_ count: Int) -> [[Double]] {
        (0..<count).map { _ in nextRound() }
    }

    package mutating func nextRound() -> [Double] {
        let shift = Self.roundNoise * (random.normal() - random.normal())
        let drift = Self.driftLimit * (2 * random.unit() - 1)
        var wander = 0.0
        return (0..<Self.groupsPerRound).map { group in
            // Of four slices, the contender's are either the inner two or the outer two.
            let inner = time(1, drift) + time(2, drift)
            let outer = time(0, drift) + time(3, drift)
            wander = Self.wandering.memory * wander + Self.wandering.noise * random.normal()
            let off = shift + wander + log(group % 2 == 0 ? inner / outer : outer / inner)
            return ratio * exp(off > 0 ? off * Self.stretch : off)
        }
    }

    /// The time of one slice, as if the true ratio were 1.
    private mutating func time(_ place: Int, _ drift: Double) -> Double {
        let isDisturbed = random.unit() < Self.disturbance.share
        let delay = isDisturbed ? Self.disturbance.cost * random.exponential() : 0
        return exp(Self.sliceNoise * random.normal() + drift * Double(place)) * (1 + delay)
    }
}

/// Checks that the generators draw each number as often as their distributions say (chi-square).
package struct GeneratorCheck: Sendable {
    /// One seed in a thousand gives a lower p-value by chance; a seed's p-value is always the same.
    package static let pValueMinimum = 0.001

    /// How many bins each test has, except that of scan lengths: few enough to get many draws each.
    private static let count = 1_000

    private let drawCount: Int
    private let seed: UInt64

    package init(drawCount: Int = 1_000_000, seed: UInt64 = 1) {
        precondition(drawCount >= 10 * Self.count, "enough is drawn to tell")
        (self.drawCount, self.seed) = (drawCount, seed)
    }

    package func findings() -> [SelfTestFinding] {
        [zipfian(), scrambled(), latest(), uniform(), scanLength()]
    }

    /// Checks that `next` draws `0 ..< probabilities.count`, each as often as its probability says.
    package func finding(
        _ name: String, _ probabilities: [Double], _ next: (inout Random) -> Int
    ) -> SelfTestFinding {
        var random = Random(seed, 0xC415)
        var seen = [Int](repeating: 0, count: probabilities.count)
        for _ in 0..<drawCount { seen[next(&random)] += 1 }
        let test = ChiSquare(seen: seen, probabilities: probabilities)
        return SelfTestFinding(
            name: "\(name) numbers come as often as they should",
            isPassed: test.pValue >= Self.pValueMinimum,
            text: "chi-square \(Format.fixed(test.statistic, 1)) of \(test.degreesOfFreedom) "
                + "degrees of freedom, p \(Format.fixed(test.pValue, 4)), at least "
                + "\(Self.pValueMinimum) expected")
    }

    private func zipfian() -> SelfTestFinding {
        let zipfian = Zipfian(count: UInt64(Self.count))
        let probabilities = (0..<zipfian.count).map { zipfian.probability(of: $0) }
        return finding("zipfian", probabilities) { Int(zipfian.next(&$0)) }
    }

    private func scrambled() -> SelfTestFinding {
        let scrambled = ScrambledZipfian(count: Self.count)
        return finding("scrambled zipfian", scrambled.probabilities()) { scrambled.next(&$0) }
    }

    /// Tests a generator that began with half of the records, and grew to all of them one by one.
    private func latest() -> SelfTestFinding {
        var latest = SkewedLatest(count: Self.count / 2)
        for count in Self.count / 2...Self.count { latest.grow(to: count) }
        let whole = SkewedLatest(count: Self.count)
        let probabilities = (0..<Self.count).map { whole.probability(of: $0) }
        return finding("latest", probabilities) { [latest] in latest.next(&$0) }
    }

    private func uniform() -> SelfTestFinding {
        finding("uniform", even(Self.count)) { $0.below(Self.count) }
    }

    private func scanLength() -> SelfTestFinding {
        finding("scan length", even(ScanLength.limit)) { ScanLength.next(&$0) - 1 }
    }

    private func even(_ count: Int) -> [Double] {
        Array(repeating: 1 / Double(count), count: count)
    }
}

package struct SelfTestFinding: Codable, Sendable, Equatable {
    /// The name of the check, a sentence that is true if the check passed.
    package let name: String
    package let isPassed: Bool
    package let text: String
}
