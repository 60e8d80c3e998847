internal import BullaText
internal import Glibc

/// A ratio or a rate, with its 95 % confidence interval.
///
/// The samples of a round are not independent: they share processes, a copy of the data, and the
/// machine's state. So each round counts once, by the median of its samples, which one disturbed
/// slice does not move. The spread of the rounds gives the interval of their mean, by Student's t,
/// because they are few. All this uses logarithms, so that 2 and 1/2 are equally far from 1.
package struct Interval: Codable, Sendable, Equatable {
    package let lower: Double
    /// The geometric mean of the rounds' medians.
    package let median: Double
    package let upper: Double

    package init(lower: Double, median: Double, upper: Double) {
        precondition(lower <= median && median <= upper, "a median lies inside its interval")
        (self.lower, self.median, self.upper) = (lower, median, upper)
    }

    /// - Parameters:
    ///   - rounds: the samples of each round, which are positive numbers.
    ///   - confidence: how often the interval contains the true number.
    /// - Returns: nil if fewer than two rounds have samples, or if the interval would tell nothing.
    package init?(rounds: [[Double]], confidence: Double = 0.95) {
        let medians = Spread(rounds.compactMap { round in round.map { log($0) }.median })
        guard let spread = medians, spread.mean.isFinite else { return nil }
        self.init(
            mean: spread.mean, error: spread.squaredError.squareRoot(), freedom: spread.count - 1,
            confidence)
    }

    /// The rate after / the rate before, for the rounds of two independent runs.
    ///
    /// - Returns: nil if a run has under two rates or a rate of 0, or the interval tells nothing.
    /// - Source: B. L. Welch, "The generalization of 'Student's' problem when several different
    ///   population variances are involved", Biometrika 34, 1947; with the degrees of freedom of
    ///   the smaller sample, which are the fewest that his formula gives.
    package init?(ratesBefore before: [Double], after: [Double]) {
        guard let old = Spread(before.map { log($0) }), let new = Spread(after.map { log($0) }),
            old.mean.isFinite, new.mean.isFinite
        else { return nil }
        self.init(
            mean: new.mean - old.mean, error: (old.squaredError + new.squaredError).squareRoot(),
            freedom: min(old.count, new.count) - 1, 0.95)
    }

    private init?(mean: Double, error: Double, freedom: Int, _ confidence: Double) {
        let reach = error * StudentT.quantile((1 + confidence) / 2, freedom: freedom)
        guard reach < log(Self.reachLimit) else { return nil }
        self.init(lower: exp(mean - reach), median: exp(mean), upper: exp(mean + reach))
    }

    /// An interval that reaches up or down by this factor tells nothing; short rounds can give one.
    private static let reachLimit = 1_000.0

    package func contains(_ number: Double) -> Bool { lower <= number && number <= upper }
    /// Such as `1.001 - 1.034`.
    var text: String { Format.fixed(lower, 3) + " - " + Format.fixed(upper, 3) }
}

/// The mean of some numbers, and its squared standard error.
private struct Spread {
    let count: Int
    let mean: Double
    let squaredError: Double

    /// Nil for fewer than two numbers.
    init?(_ numbers: [Double]) {
        guard numbers.count >= 2 else { return nil }
        count = numbers.count
        let mean = numbers.reduce(0, +) / Double(count)
        self.mean = mean
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        squaredError = squares / Double(count - 1) / Double(count)
    }
}

/// Student's t: how the error of the mean of a few samples is distributed, in standard errors.
package enum StudentT {
    /// The value below which `probability` of the distribution lies.
    ///
    /// - Parameters:
    ///   - probability: at least one half, and less than one.
    ///   - freedom: the degrees of freedom, at least one.
    package static func quantile(_ probability: Double, freedom: Int) -> Double {
        precondition(probability >= 0.5 && probability < 1, "a quantile of the upper half")
        precondition(freedom >= 1, "there is a degree of freedom")
        let share = 2 * probability - 1
        var (below, above) = (0.0, 1.0)
        while central(above, freedom) < share { (below, above) = (above, 2 * above) }
        for _ in 0..<60 {
            let middle = (below + above) / 2
            if central(middle, freedom) < share { below = middle } else { above = middle }
        }
        return (below + above) / 2
    }

    /// How much of the distribution lies between `-bound` and `bound`.
    ///
    /// - Complexity: half as many terms as there are degrees of freedom.
    /// - Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
    private static func central(_ bound: Double, _ freedom: Int) -> Double {
        let angle = atan(bound / Double(freedom).squareRoot())
        let (sine, cosine) = (sin(angle), cos(angle))
        let isOdd = freedom % 2 == 1
        var term = isOdd ? cosine : 1
        var sum = freedom == 1 ? 0 : term
        for factor in stride(from: isOdd ? 3 : 2, through: freedom - 2, by: 2) {
            term *= cosine * cosine * Double(factor - 1) / Double(factor)
            sum += term
        }
        return isOdd ? (angle + sine * sum) * 2 / .pi : sine * sum
    }
}

extension Collection<Double> {
    /// The middle one of the sorted numbers, or the mean of the two in the middle; nil for none.
    package var median: Double? { isEmpty ? nil : sorted().quantile(0.5) }
}

extension [Double] {
    /// The `share` quantile of ascending numbers, interpolated between neighbours.
    package func quantile(_ share: Double) -> Double {
        precondition(!isEmpty && share >= 0 && share <= 1, "a quantile of some numbers")
        let place = share * Double(count - 1)
        let below = Int(place)
        let above = Swift.min(below + 1, count - 1)
        return self[below] + (self[above] - self[below]) * (place - Double(below))
    }
}
