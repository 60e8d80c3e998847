import BullaBenchKit
import Testing

@Suite struct `The interval of a median` {
    @Test func `of equal samples is a point`() {
        var bootstrap = Bootstrap(seed: 1)
        let interval = bootstrap.interval(ofMedian: [[1.5, 1.5], [1.5, 1.5], [1.5, 1.5]])
        #expect(interval == Interval(lower: 1.5, median: 1.5, upper: 1.5))
    }

    @Test func `of a known sample is where the theory of order statistics has it`() throws {
        // Of 25 single samples the 95 % interval of the median lies between the 8th and the 18th
        // (binomial, one half); widened for their number, it may reach one further.
        let clusters = (1...25).map { [Double($0)] }
        var bootstrap = Bootstrap(seed: 2)
        let found = bootstrap.interval(ofMedian: clusters)
        let interval = try #require(found)
        #expect(interval.median == 13)
        #expect((7...8).contains(interval.lower))
        #expect((18...19).contains(interval.upper))
    }

    @Test func `of one round is not known`() {
        var bootstrap = Bootstrap(seed: 3)
        #expect(bootstrap.interval(ofMedian: [[1, 2, 3, 4]]) == nil)
        #expect(bootstrap.interval(ofMedian: []) == nil)
        #expect(bootstrap.interval(ofMedian: [[], [1], []]) == nil)
    }

    @Test func `is the same for the same seed`() {
        let clusters = [[1.0, 1.2], [0.9, 1.1], [1.3, 1.0]]
        var (first, second) = (Bootstrap(seed: 4), Bootstrap(seed: 4))
        #expect(first.interval(ofMedian: clusters) == second.interval(ofMedian: clusters))
    }

    @Test func `is wider for a higher confidence`() throws {
        let clusters = (1...25).map { [Double($0)] }
        let intervals = [0.5, 0.95, 0.98].map { confidence in
            var bootstrap = Bootstrap(seed: 5)
            return bootstrap.interval(ofMedian: clusters, confidence: confidence)
        }
        let widths = try intervals.map { try #require($0) }.map { $0.upper - $0.lower }
        #expect(widths[0] < widths[1] && widths[1] < widths[2])
        // Binomial, one half: the 7th to the 19th hold the median with 98.5 %, the 11th to the
        // 15th with 57.6 %.
        #expect((11...13).contains(widths[2]))
        #expect((2...5).contains(widths[0]))
    }

    @Test func `contains the true ratio in at least 88 of 100 synthetic runs`() {
        let covered = (0..<100).count { run in
            var random = Random(UInt64(run), 0xC0FE)
            var bootstrap = Bootstrap(seed: UInt64(run), resampleCount: 1_000)
            let interval = bootstrap.interval(ofMedian: Self.rounds(ratio: 1.07, &random))
            return interval.map { $0.lower <= 1.07 && 1.07 <= $0.upper } ?? false
        }
        #expect(covered >= 88, "covered \(covered) of 100")
    }

    /// Seven rounds of two groups: each round is off by some of its own, and so is each group.
    private static func rounds(ratio: Double, _ random: inout Random) -> [[Double]] {
        (0..<7).map { _ in
            let shift = normal(&random) * 0.02
            return (0..<2).map { _ in ratio + shift + normal(&random) * 0.02 }
        }
    }

    /// About standard normal: twelve uniform numbers, less their mean.
    private static func normal(_ random: inout Random) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + random.unit() }
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
