import BullaBenchKit
import Testing

@Suite struct `A verdict` {
    private static func interval(_ lower: Double, _ upper: Double) -> Interval {
        Interval(lower: lower, median: (lower + upper) / 2, upper: upper)
    }

    @Test(arguments: [
        (1.01, 1.09, Verdict.met), (1.01, 1.10, .met), (1.05, 1.15, .undecided),
        (1.10, 1.20, .undecided), (1.11, 1.20, .missed), (0.90, 0.95, .met),
    ])
    func `follows where the interval lies`(lower: Double, upper: Double, verdict: Verdict) {
        let ratio = Self.interval(lower, upper)
        #expect(Verdict(ratio: ratio, rounds: 5, limit: 1.10) == verdict)
    }

    @Test func `of too few rounds is undecided, however clear they look`() {
        #expect(Verdict(ratio: Self.interval(1.0, 1.01), rounds: 4, limit: 1.10) == .undecided)
        #expect(Verdict(ratio: nil, rounds: 9, limit: 1.10) == .undecided)
    }

    @Test(arguments: [
        ([Verdict.met, .met], Verdict.met), ([.met, .undecided], .undecided),
        ([.undecided, .missed, .met], .missed), ([], .undecided),
    ])
    func `of all rows is the worst of them`(rows: [Verdict], verdict: Verdict) {
        #expect(Verdict(all: rows) == verdict)
    }

    @Test func `is told by the exit status`() {
        #expect(Verdict.met.exit.rawValue == 0)
        #expect(Verdict.missed.exit.rawValue == 1)
        #expect(Verdict.undecided.exit.rawValue == 2)
    }
}
