import BullaBenchKit
import BullaTestSupport
import Testing

@Suite struct `A stopping rule` {
    private static func rule(_ precision: Double?, _ roundLimit: Int) -> StoppingRule {
        StoppingRule(precision: precision, roundLimit: roundLimit)
    }

    /// Rounds whose interval is never as narrow as a thousandth.
    private static func wideRounds(_ count: Int) -> [[Double]] {
        var run = SyntheticRun(ratio: 1.07, seed: 2)
        return run.rounds(count)
    }

    /// The numbers of rounds at which the answer changes.
    private static func looks(_ rule: StoppingRule, at rounds: [[Double]]) -> [Int] {
        var (rule, newest, looks) = (rule, Interval?.none, [Int]())
        for count in 1...rounds.count {
            let look = rule.look(at: Array(rounds.prefix(count)), isLast: false)
            if look.interval != newest { looks.append(count) }
            newest = look.interval
            if look.isLast { break }
        }
        return looks
    }

    @Test(arguments: [
        (40, [8, 12, 18, 27, 40]), (41, [8, 12, 18, 27, 40, 41]), (20, [8, 12, 18, 20]),
        (8, [8]), (5, [5]), (100, [8, 12, 18, 27, 40, 60, 90, 100]),
    ])
    func `looks at fixed numbers of rounds only`(roundLimit: Int, looks: [Int]) {
        let rule = Self.rule(0.001, roundLimit)
        #expect(Self.looks(rule, at: Self.wideRounds(roundLimit)) == looks)
        #expect(rule.lookCount == looks.count)
    }

    @Test func `without a precision looks once, at the end, and claims 95 %`() {
        #expect(Self.looks(Self.rule(nil, 40), at: Self.wideRounds(40)) == [40])
        var rule = Self.rule(nil, 40)
        let rounds = Self.wideRounds(9)
        #expect(rule.look(at: rounds, isLast: false).interval == nil)
        let look = rule.look(at: rounds, isLast: true)
        #expect(look.isLast && look.confidence == 0.95 && look.interval != nil)
    }

    @Test func `goes on while the interval is wide, and stops when it is narrow`() {
        let rounds = [[Double]](repeating: [1.02, 1.02], count: 8)
        var narrow = Self.rule(0.01, 40)
        for count in 1..<8 {
            #expect(!narrow.look(at: Array(rounds.prefix(count)), isLast: false).isLast)
        }
        #expect(narrow.look(at: rounds, isLast: false).isLast)
        var wide = Self.rule(0.001, 40)
        #expect(!wide.look(at: Self.wideRounds(8), isLast: false).isLast)
    }

    @Test func `measures the width from end to end, as a share of the median`() throws {
        let rounds = Self.wideRounds(8).map { $0.map { $0 * 10 } }
        var first = Self.rule(0.001, 40)
        let interval = try #require(first.look(at: rounds, isLast: false).interval)
        let width = (interval.upper - interval.lower) / interval.median
        var (wide, narrow) = (Self.rule(width * 0.99, 40), Self.rule(width * 1.01, 40))
        #expect(!wide.look(at: rounds, isLast: false).isLast)
        #expect(narrow.look(at: rounds, isLast: false).isLast)
    }

    @Test func `widens its intervals as Pocock's boundary says`() throws {
        let rounds = Self.wideRounds(12)
        var rule = Self.rule(0.001, 40)
        let look = rule.look(at: rounds, isLast: false)
        // With five looks, the boundary lies at 2.423 standard errors, within which 98.46 % of the
        // normal distribution lie.
        #expect(abs(look.confidence - 0.9846) < 0.0001)
        var plain = Self.rule(nil, 40)
        let plainLook = plain.look(at: rounds, isLast: true)
        let (wide, narrow) = (try #require(look.interval), try #require(plainLook.interval))
        #expect(wide.lower < narrow.lower && narrow.upper < wide.upper)
    }

    @Test func `that looks for the first time when the time is up claims 95 %`() {
        var early = Self.rule(0.001, 40)
        for count in 1..<6 { _ = early.look(at: Self.wideRounds(count), isLast: false) }
        #expect(early.look(at: Self.wideRounds(6), isLast: true).confidence == 0.95)
        var late = Self.rule(0.001, 40)
        _ = late.look(at: Self.wideRounds(8), isLast: false)
        #expect(late.look(at: Self.wideRounds(9), isLast: true).confidence > 0.98)
    }

    @Test func `says the same when it looks at the same rounds again`() {
        var rule = Self.rule(0.001, 40)
        let rounds = Self.wideRounds(8)
        let first = rule.look(at: rounds, isLast: false)
        #expect(rule.look(at: rounds, isLast: false) == first)
        let last = rule.look(at: rounds, isLast: true)
        #expect(last.isLast && last.interval == first.interval)
        #expect(last.confidence == first.confidence)
    }

    @Test func `that was not asked in time looks at the next chance, once`() {
        var rule = Self.rule(0.001, 40)
        let late = rule.look(at: Self.wideRounds(14), isLast: false)
        #expect(late.interval != nil)
        #expect(rule.look(at: Self.wideRounds(17), isLast: false) == late)
        #expect(rule.look(at: Self.wideRounds(18), isLast: false) != late)
    }

    @Test func `knows nothing of one round`() {
        var rule = Self.rule(0.02, 40)
        let look = rule.look(at: [[1, 1]], isLast: true)
        #expect(look.isLast && look.interval == nil)
    }

    /// Tests the boundaries independently: they were found by integration, whereas this test draws
    /// random numbers.
    @Test func `has a boundary that normal means cross in one run of twenty`() {
        var rule = Self.rule(0.001, StoppingRule.schedule[4])
        let confidence = rule.look(at: [], isLast: false).confidence
        let runCount = TestMode.pick(short: 20_000, long: 200_000)
        var random = Random(seed: 31)
        let crossed = (0..<runCount).count { _ in
            var (sum, isCrossed) = (0.0, false)
            for round in 1...40 {
                sum += random.normal()
                guard StoppingRule.schedule.contains(round) else { continue }
                isCrossed = isCrossed || sum * sum > 2.423 * 2.423 * Double(round)
            }
            return isCrossed
        }
        let share = Double(crossed) / Double(runCount)
        #expect(abs(confidence - 0.9846) < 0.0001)
        #expect(abs(share - 0.05) < 4 * (0.05 * 0.95 / Double(runCount)).squareRoot())
    }
}
