import BullaBenchKit
import BullaTestSupport
import Testing

@Suite struct `The coverage of an interval` {
    private static let coverage = IntervalCoverage(
        experimentCount: TestMode.pick(short: 100, long: 400))

    @Test func `is what it claims, with the stopping rule in force and without`() {
        let findings = Self.coverage.findings()
        #expect(findings.count == 2)
        for finding in findings { #expect(finding.isPassed, "\(finding.name): \(finding.text)") }
    }

    @Test func `is tried at early and at late looks`() {
        let tally = Self.coverage.tally(
            precision: IntervalCoverage.precision, roundLimit: IntervalCoverage.roundLimit)
        #expect(tally.experimentCount == TestMode.pick(short: 100, long: 400))
        #expect(tally.endCounts.keys.sorted() == [8, 12, 18, 27, 40])
    }

    @Test func `of a rule that looks after each round, uncorrected, is smaller`() {
        let corrected = Self.coverage.tally(
            precision: IntervalCoverage.precision, roundLimit: IntervalCoverage.roundLimit)
        let uncorrected = (0..<corrected.experimentCount).count { number in
            Self.stopsAtFirstNarrowInterval(Self.coverage.run(number))
                .map { $0.contains(IntervalCoverage.trueRatio) } ?? false
        }
        #expect(
            uncorrected < corrected.coveredCount,
            "\(uncorrected) and \(corrected.coveredCount) of \(corrected.experimentCount)")
    }

    @Test func `of a run whose truth lies elsewhere fails the check`() {
        let failing = IntervalCoverage.Tally(coveredCount: 87, endCounts: [12: 60, 40: 40])
        let passing = IntervalCoverage.Tally(coveredCount: 88, endCounts: [12: 60, 40: 40])
        #expect(!IntervalCoverage.finding("it holds", failing).isPassed)
        #expect(IntervalCoverage.finding("it holds", passing).isPassed)
    }

    @Test func `is counted on runs whose true median is the one that is stated`() throws {
        var run = SyntheticRun(ratio: 1.07, seed: 50)
        let rounds = run.rounds(TestMode.pick(short: 20_000, long: 400_000))
        let median = try #require(rounds.joined().median)
        // The standard error is 0.0003 in the short mode, 0.00007 in the long one.
        #expect(abs(median - 1.07) < TestMode.pick(short: 0.0012, long: 0.0003))
        // The distribution is heavier above the median, so the mean is not the median.
        let mean = rounds.joined().reduce(0, +) / Double(rounds.joined().count)
        #expect(mean > 1.075)
    }

    /// The interval at which this rule stops: look at the ordinary 95 % interval after each round
    /// from the fifth on, and stop at the first narrow one, or else at the last.
    private static func stopsAtFirstNarrowInterval(_ run: SyntheticRun) -> Interval? {
        var run = run
        var rounds = run.rounds(4)
        while rounds.count < IntervalCoverage.roundLimit {
            rounds.append(run.nextRound())
            guard let interval = Interval(rounds: rounds) else { continue }
            let width = (interval.upper - interval.lower) / interval.median
            if width <= IntervalCoverage.precision || rounds.count == IntervalCoverage.roundLimit {
                return interval
            }
        }
        return nil
    }
}

@Suite struct `The check of the generators` {
    private static let check = GeneratorCheck(
        drawCount: TestMode.pick(short: 100_000, long: 4_000_000))

    @Test func `passes all of them`() {
        let findings = Self.check.findings()
        #expect(findings.count == 5)
        for finding in findings { #expect(finding.isPassed, "\(finding.name): \(finding.text)") }
    }

    @Test func `fails a zipfian of another theta`() {
        let (zipfian, other) = (Zipfian(count: 1_000), Zipfian(count: 1_000, theta: 0.95))
        let probabilities = (0..<zipfian.count).map { zipfian.probability(of: $0) }
        #expect(!Self.check.finding("other", probabilities) { Int(other.next(&$0)) }.isPassed)
    }

    @Test func `fails a latest that does not see the newest record`() {
        let (latest, stale) = (SkewedLatest(count: 1_000), SkewedLatest(count: 999))
        let probabilities = (0..<1_000).map { latest.probability(of: $0) }
        #expect(!Self.check.finding("stale", probabilities) { stale.next(&$0) }.isPassed)
    }

    @Test func `fails numbers one of which never comes`() {
        let probabilities = [Double](repeating: 0.01, count: 100)
        #expect(!Self.check.finding("99 of", probabilities) { $0.below(99) }.isPassed)
    }
}
