import BullaBenchKit
import Testing

@Suite struct `The chi-square test` {
    @Test(arguments: [
        // From the published tables: degrees of freedom, a value, and the share of the distribution
        // above that value.
        (1, 3.841, 0.05), (1, 6.635, 0.01), (1, 10.828, 0.001), (2, 5.991, 0.05),
        (9, 16.919, 0.05), (9, 27.877, 0.001), (30, 43.773, 0.05), (100, 124.342, 0.05),
        (100, 149.449, 0.001), (100, 77.929, 0.95), (999, 1_073.643, 0.05),
    ])
    func `has the p-values of the published tables`(freedom: Int, statistic: Double, p: Double) {
        let found = ChiSquare.pValue(statistic, freedom: freedom)
        #expect(abs(found - p) < p * 0.001)
    }

    @Test(arguments: [0.1, 1, 2.5, 7, 30, 200])
    func `has a p-value of e^-x for two degrees of freedom`(x: Double) {
        // Here the distribution is exponential, so no table is needed.
        var expected = 1.0
        for _ in 0..<10 { expected *= Self.exponential(-x / 10) }
        #expect(abs(ChiSquare.pValue(2 * x, freedom: 2) / expected - 1) < 1e-12)
    }

    @Test func `adds up squares by what was expected`() {
        let test = ChiSquare(seen: [30, 50, 20], probabilities: [0.25, 0.5, 0.25])
        #expect(test.degreesOfFreedom == 2)
        #expect(abs(test.statistic - (1.0 + 0 + 1.0)) < 1e-12)
        #expect(abs(test.pValue - 0.367_879) < 1e-6)
    }

    @Test func `joins bins of which fewer than five are expected`() {
        // The expected counts are 50, 3, 3, 40 and 4. The two of 3 make one bin; the last joins the
        // one before it.
        let test = ChiSquare(
            seen: [50, 3, 3, 36, 8], probabilities: [0.5, 0.03, 0.03, 0.4, 0.04])
        #expect(test.degreesOfFreedom == 2)
        #expect(test.statistic < 1e-12)
        #expect(test.pValue > 0.999)
    }

    @Test func `rejects what comes a tenth too often`() {
        let probabilities = [Double](repeating: 0.1, count: 10)
        var seen = [Int](repeating: 10_000, count: 10)
        seen[3] += 1_000
        #expect(ChiSquare(seen: seen, probabilities: probabilities).pValue < 1e-10)
    }

    /// Computes e^x for a negative x, small or large, from the series of e^-x, without the code
    /// under test.
    private static func exponential(_ x: Double) -> Double {
        var (term, sum) = (1.0, 1.0)
        for count in 1..<100 {
            term *= -x / Double(count)
            sum += term
        }
        return 1 / sum
    }
}
