internal import Glibc

/// Tests whether things occur as often as expected (Pearson's test).
package struct ChiSquare: Sendable {
    /// Bins with a lower expected count are joined, because with them the p-value would be wrong.
    package static let expectedMinimum = 5.0

    /// The sum of (seen - expected)^2 / expected.
    package let statistic: Double
    package let degreesOfFreedom: Int

    /// - Parameters:
    ///   - seen: how many times each thing occurred.
    ///   - probabilities: how likely each is; they add up to one.
    package init(seen: [Int], probabilities: [Double]) {
        precondition(seen.count == probabilities.count, "each thing has a probability")
        let total = Double(seen.reduce(0, +))
        let bins = Self.bins(seen, probabilities.map { $0 * total })
        precondition(bins.count >= 2, "there are things to tell apart")
        degreesOfFreedom = bins.count - 1
        statistic = bins.reduce(0) { sum, bin in
            sum + (bin.seen - bin.expected) * (bin.seen - bin.expected) / bin.expected
        }
    }

    /// The probability that chance alone makes the statistic at least as large.
    package var pValue: Double { Self.pValue(statistic, freedom: degreesOfFreedom) }

    /// The probability of a greater statistic: a sum of one term for every two degrees of freedom.
    ///
    /// - Source: the chi-square distribution is the gamma distribution of half its degrees of
    ///   freedom, at half the statistic; NIST Digital Library of Mathematical Functions, equations
    ///   8.4.5 and 8.4.6 (where the sum begins) and 8.8.6 (how it goes on).
    package static func pValue(_ statistic: Double, freedom: Int) -> Double {
        precondition(statistic >= 0 && freedom > 0, "the distribution has this statistic")
        let (x, isOdd) = (statistic / 2, freedom % 2 == 1)
        let start = isOdd ? erfc(x.squareRoot()) : exp(-x)
        return stride(from: isOdd ? 0.5 : 1, to: Double(freedom) / 2, by: 1).reduce(start) {
            // Uses logarithms, because factors of this small product could overflow or underflow.
            $0 + exp($1 * log(x) - x - lgamma($1 + 1))
        }
    }

    private typealias Bin = (seen: Double, expected: Double)

    /// Joins neighbours until each expected count is high enough; the rest goes into the last bin.
    private static func bins(_ seen: [Int], _ expected: [Double]) -> [Bin] {
        var bins: [Bin] = []
        var rest: Bin = (0, 0)
        for (seen, expected) in zip(seen, expected) {
            rest = (rest.seen + Double(seen), rest.expected + expected)
            guard rest.expected >= expectedMinimum else { continue }
            bins.append(rest)
            rest = (0, 0)
        }
        if let last = bins.popLast() {
            bins.append((last.seen + rest.seen, last.expected + rest.expected))
        }
        return bins
    }
}
