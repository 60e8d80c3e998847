internal import Glibc

/// The regularised incomplete gamma function, which tells how likely a sum of squares is.
package enum IncompleteGamma {
    /// Both expansions end long before this for what is asked here.
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
