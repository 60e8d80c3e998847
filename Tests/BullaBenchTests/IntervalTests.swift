import BullaBenchKit
import Testing

@Suite struct `An interval` {
    @Test func `of equal rounds is a point`() throws {
        let interval = try #require(Interval(rounds: [[1.5, 1.5], [1.5, 1.5], [1.5, 1.5]]))
        for number in [interval.lower, interval.median, interval.upper] {
            #expect(abs(number - 1.5) < 1e-12)
        }
    }

    @Test func `is the one of Student's t on the logarithms of the rounds' medians`() throws {
        // The medians are 1, 2 and 4. Their logarithms are log 2 apart, with a standard error of
        // log 2 / sqrt 3; with two degrees of freedom, 95 % lie within 4.3027 times that: 1.7219.
        let interval = try #require(Interval(rounds: [[1, 1, 9], [2], [4, 4, 0.1]]))
        #expect(abs(interval.median - 2) < 1e-9)
        #expect(abs(interval.upper - 2 * 5.595) < 0.01)
        #expect(abs(interval.lower * interval.upper - 4) < 1e-9)
    }

    @Test func `of one round is not known`() {
        #expect(Interval(rounds: [[1, 2, 3, 4]]) == nil)
        #expect(Interval(rounds: []) == nil)
        #expect(Interval(rounds: [[], [1], []]) == nil)
        #expect(Interval(rounds: [[0], [1], [2]]) == nil)
    }

    @Test func `of rounds that have nothing in common is not known`() {
        // With one degree of freedom, 95 % lie within 12.7 standard errors.
        #expect(Interval(rounds: [[1], [2]]) != nil)
        #expect(Interval(rounds: [[1], [4]]) == nil)
    }

    @Test func `is wider for a higher confidence`() throws {
        let rounds = (1...25).map { [Double($0)] }
        let widths = try [0.5, 0.95, 0.98].map { confidence in
            let interval = try #require(Interval(rounds: rounds, confidence: confidence))
            return interval.upper - interval.lower
        }
        #expect(widths[0] < widths[1] && widths[1] < widths[2])
    }

    @Test func `of rates on two days is wider than either day's own`() throws {
        let (before, after) = ([100.0, 104, 98, 101], [110.0, 113, 108, 112])
        let ratio = try #require(Interval(ratesBefore: before, after: after))
        let own = try #require(Interval(rounds: after.map { [$0] }))
        #expect(ratio.contains(1.1))
        #expect(ratio.upper / ratio.lower > own.upper / own.lower)
    }
}

@Suite struct `A quantile` {
    @Test func `lies between its neighbours`() {
        #expect([1.0, 2, 3, 4].quantile(0.5) == 2.5)
        #expect([1.0, 2, 3, 4].quantile(0) == 1)
        #expect([1.0, 2, 3, 4].quantile(1) == 4)
        #expect([3.0, 1, 2].median == 2)
        #expect([Double]().median == nil)
    }

    @Test(arguments: [
        (0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 3, 3.182), (0.975, 4, 2.776),
        (0.975, 30, 2.042), (0.975, 60, 2.000), (0.975, 120, 1.980), (0.995, 7, 3.499),
        (0.995, 8, 3.355), (0.5, 5, 0), (0.75, 1, 1),
    ])
    func `of Student's t is the one of the published tables`(
        probability: Double, freedom: Int, quantile: Double
    ) {
        #expect(abs(StudentT.quantile(probability, freedom: freedom) - quantile) < 0.0006)
    }
}
