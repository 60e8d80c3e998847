internal import Glibc

/// Whether things come as often as they should (Pearson's test).
package struct ChiSquare: Sendable {
    /// A bin that should have fewer than this has neighbours added: below, the distribution of the
    /// statistic is no longer the one that the p-value is read from.
    package static let expectedMinimum = 5.0

    /// The squares of what was seen less what was expected, each in units of the latter.
    package let statistic: Double
    package let degreesOfFreedom: Int

    /// - Parameters:
    ///   - seen: how often each thing came.
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

    /// How likely chance alone is to make the statistic as large.
    ///
    /// - Source: the chi-square distribution is the gamma distribution of half its degrees of
    ///   freedom, at half the statistic.
    package var pValue: Double {
        IncompleteGamma.upper(Double(degreesOfFreedom) / 2, statistic / 2)
    }

    private typealias Bin = (seen: Double, expected: Double)

    /// Neighbours together until enough is expected of them; what is left falls to the last.
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

/// The regularised incomplete gamma function, which tells how likely a sum of squares is.
package enum IncompleteGamma {
    private static let termLimit = 100_000

    /// Q(`a`, `x`): what lies above `x` of the gamma distribution of shape `a`.
    ///
    /// - Source: NIST Digital Library of Mathematical Functions, section 8.2, equation 8.2.4.
    package static func upper(_ a: Double, _ x: Double) -> Double {
        precondition(a > 0 && x >= 0, "a shape and a place of the distribution")
        if x == 0 { return 1 }
        // Each converges fast on its side of the mean.
        return x < a + 1 ? 1 - lowerSeries(a, x) : upperFraction(a, x)
    }

    /// P(`a`, `x`) as a series.
    ///
    /// - Source: the same, equation 8.11.4.
    private static func lowerSeries(_ a: Double, _ x: Double) -> Double {
        var (term, sum) = (1 / a, 1 / a)
        for count in 1...termLimit {
            term *= x / (a + Double(count))
            sum += term
            if term < sum * 1e-16 { break }
        }
        return sum * scale(a, x)
    }

    /// Q(`a`, `x`) as a continued fraction, evaluated from its front.
    ///
    /// - Source: the same, equation 8.9.2, contracted to its even part; section 3.10 (iii),
    ///   Steed's algorithm.
    private static func upperFraction(_ a: Double, _ x: Double) -> Double {
        var denominator = x + 1 - a
        var reciprocal = 1 / denominator
        var (difference, sum) = (reciprocal, reciprocal)
        for count in 1...termLimit {
            let numerator = -Double(count) * (Double(count) - a)
            denominator += 2
            reciprocal = 1 / (numerator * reciprocal + denominator)
            difference *= denominator * reciprocal - 1
            sum += difference
            if difference.magnitude < sum * 1e-16 { break }
        }
        return sum * scale(a, x)
    }

    /// x^a e^-x / gamma(a), by logarithms, since each of the three is beyond all numbers.
    private static func scale(_ a: Double, _ x: Double) -> Double {
        exp(a * log(x) - x - lgamma(a))
    }
}
