import BullaBenchKit
import Testing

@Suite struct `Two results` {
    private static func change(
        before: SampleResult, after: SampleResult, threshold: Double = 0.05
    ) throws -> ResultComparison {
        ResultComparison(
            before: try before.made(), after: try after.made(), threshold: threshold)
    }

    /// A sample from another seed, in which the encrypted store takes `ratio` times as long as by
    /// default.
    private static func later(_ ratio: Double, seed: UInt64) -> SampleResult {
        var sample = SampleResult(seed: seed)
        sample.ratios = [1, 1.04 * ratio]
        return sample
    }

    @Test func `of which one is a tenth slower show a regression, there alone`() throws {
        let found = try Self.change(before: SampleResult(), after: Self.later(1.10, seed: 2))
        #expect(found.change == .regression)
        #expect(found.change.exit.rawValue == 1)
        for line in found.lines {
            let isSlower = line.contender == "encrypted"
            #expect(line.change == (isSlower ? .regression : .unchanged), "\(line)")
        }
    }

    @Test func `of which one is a tenth faster show an improvement`() throws {
        let found = try Self.change(before: Self.later(1.10, seed: 2), after: SampleResult())
        #expect(found.change == .improvement)
        #expect(found.change.exit.rawValue == 0)
    }

    @Test func `that differ by noise alone never show a regression`() throws {
        for seed in 2...13 as ClosedRange<UInt64> {
            var noisy = SampleResult(seed: seed, stepsPerRound: 10)
            noisy.spread = 0.08
            var before = noisy
            before.seed = 1
            let found = try Self.change(before: before, after: noisy)
            #expect(found.lines.allSatisfy { $0.change != .regression }, "seed \(seed)")
        }
    }

    @Test func `of few rounds are undecided, however clear they look`() throws {
        var (before, after) = (SampleResult(), Self.later(2, seed: 2))
        before.roundCount = Verdict.roundMinimum - 1
        after.roundCount = 20
        let found = try Self.change(before: before, after: after)
        #expect(found.change == .undecided)
        #expect(found.change.exit.rawValue == 2)
    }

    @Test func `name what only one of them has, and what differs in their machines`() throws {
        var (before, after) = (SampleResult(), SampleResult())
        before.workloads = ["point-read", "scan"]
        after.workloads = ["point-read", "load"]
        after.host = "host-2"
        let found = try Self.change(before: before, after: after)
        #expect(found.lines.map(\.row) == ["point-read on ycsb", "point-read on ycsb"])
        let warnings = found.warnings.joined(separator: "\n")
        #expect(warnings.contains("only before: encrypted in scan on ycsb"))
        #expect(warnings.contains("only after: plain in load on ycsb"))
        #expect(warnings.contains("the host differs: host-1 before, host-2 after"))
    }

    @Test func `that have no row in common decide nothing`() throws {
        var other = SampleResult()
        other.input = "other"
        #expect(try Self.change(before: SampleResult(), after: other).change == .undecided)
    }

    @Test(arguments: [
        (0.90, 0.94, Change.regression), (0.90, 0.96, .undecided), (0.96, 1.04, .unchanged),
        (1.02, 1.08, .undecided), (1.06, 1.08, .improvement), (0.5, 2, .undecided),
    ])
    func `changed as their interval says`(lower: Double, upper: Double, change: Change) {
        let ratio = Interval(lower: lower, median: (lower + upper) / 2, upper: upper)
        #expect(Change(ratio: ratio, rounds: 5, threshold: 0.05) == change)
    }
}

@Suite struct `The ratio of two medians` {
    @Test func `is known where samples are, and contains the true one`() throws {
        var covered = 0
        for run in 0..<100 as Range<UInt64> {
            var random = Random(run, 0xABBA)
            let before = (0..<12).map { _ in 100 + 4 * random.unit() }
            let after = (0..<9).map { _ in 110 + 4.4 * random.unit() }
            let found = try #require(Interval(ratesBefore: before, after: after))
            covered += found.lower <= 1.1 && 1.1 <= found.upper ? 1 : 0
        }
        #expect(covered >= 90, "covered \(covered) of 100")
    }

    @Test func `is not known of one sample, or of none that did anything`() {
        #expect(Interval(ratesBefore: [1], after: [1, 2]) == nil)
        #expect(Interval(ratesBefore: [0, 0], after: [1, 2]) == nil)
        #expect(Interval(ratesBefore: [1, 2], after: []) == nil)
    }
}
