internal import BullaText
internal import Glibc

/// How sure a median is, told by drawing the samples again.
///
/// The samples lie in clusters: a round has its own processes and its own copy of the data, and
/// what it measures several times is not independent. So rounds are drawn first, with replacement,
/// and then samples within each. Few rounds understate the spread, so the percentiles are widened
/// as Student's t widens a normal interval (Hesterberg, "What Teachers Should Know About the
/// Bootstrap", 2015, section 4.1, expanded percentile interval).
package struct Bootstrap: Sendable {
    private let resampleCount: Int
    private var random: Random

    /// - Parameter resampleCount: enough that the tails of an interval of few rounds are told.
    package init(seed: UInt64, resampleCount: Int = 4_000) {
        self.resampleCount = resampleCount
        random = Random(seed, 0xB007)
    }

    /// The interval of the median of all samples.
    ///
    /// - Parameters:
    ///   - clusters: one list of samples for each round.
    ///   - confidence: how often the interval contains the true median.
    /// - Returns: nil where fewer than two clusters have samples: nothing is known of their spread.
    /// - Complexity: for each resample, a few steps for each sample; no sorting.
    package mutating func interval(
        ofMedian clusters: [[Double]], confidence: Double = 0.95
    ) -> Interval? {
        let clusters = clusters.filter { !$0.isEmpty }
        guard clusters.count >= 2, let median = clusters.joined().median else { return nil }
        var resampling = Resampling(of: clusters)
        let medians = (0..<resampleCount).map { _ in resampling.median(&random) }.sorted()
        let tail = Self.tailShare(clusterCount: clusters.count, confidence: confidence)
        // The observed median always lies inside: clamped, since an uneven sample can push it out.
        return Interval(
            lower: min(medians.quantile(tail), median), median: median,
            upper: max(medians.quantile(1 - tail), median))
    }

    /// What is cut off at each end: half of what `confidence` leaves, and less for few clusters.
    static func tailShare(clusterCount: Int, confidence: Double) -> Double {
        let count = Double(clusterCount)
        let reach =
            (count / (count - 1)).squareRoot()
            * StudentT.quantile((1 + confidence) / 2, freedom: clusterCount - 1)
        return erfc(reach / 2.0.squareRoot()) / 2
    }
}

/// Draws clusters of samples again, and finds the median of what was drawn.
///
/// The samples are sorted once, and a draw counts how often each came: the median is then found by
/// counting up to the middle.
struct Resampling {
    private let samples: [Double]
    /// Where in `samples` those of each cluster are, one cluster behind the other.
    private let places: [Int]
    /// Where in `places` each cluster begins, and where the last one ends.
    private let starts: [Int]
    /// How often each sample was drawn; all zero between draws.
    private var counts: [Int]

    init(of clusters: [[Double]]) {
        let joined = Array(clusters.joined())
        precondition(!joined.isEmpty, "there is something to draw")
        let order = joined.indices.sorted { joined[$0] < joined[$1] }
        samples = order.map { joined[$0] }
        var places = [Int](repeating: 0, count: joined.count)
        for (place, index) in order.enumerated() { places[index] = place }
        self.places = places
        starts = clusters.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        counts = [Int](repeating: 0, count: joined.count)
    }

    /// Draws as many clusters as there are, and of each as many samples as it has.
    mutating func median(_ random: inout Random) -> Double {
        var drawCount = 0
        let clusterCount = starts.count - 1
        for _ in 0..<clusterCount {
            let cluster = random.below(clusterCount)
            let (start, count) = (starts[cluster], starts[cluster + 1] - starts[cluster])
            for _ in 0..<count { counts[places[start + random.below(count)]] += 1 }
            drawCount += count
        }
        return takeMedian(of: drawCount)
    }

    private mutating func takeMedian(of drawCount: Int) -> Double {
        let (lower, upper) = ((drawCount - 1) / 2, drawCount / 2)
        var (seen, below, above) = (0, 0.0, 0.0)
        for place in counts.indices {
            let next = seen + counts[place]
            if seen <= lower, lower < next { below = samples[place] }
            if seen <= upper, upper < next { above = samples[place] }
            seen = next
            counts[place] = 0
        }
        return below + (above - below) * (lower == upper ? 0 : 0.5)
    }
}

/// How sure the ratio of two medians is, of samples that have nothing to do with each other: rates
/// of two runs, on two days.
///
/// Both samples are drawn again, each by itself, and the percentiles of the ratios are widened for
/// the smaller one as ``Bootstrap`` does.
package struct RateRatio: Sendable {
    private let before: [Double]
    private let after: [Double]

    package init(before: [Double], after: [Double]) { (self.before, self.after) = (before, after) }

    /// The median after / the median before.
    ///
    /// - Returns: nil where one of them has fewer than two rates, or did nothing.
    package func interval(seed: UInt64, resampleCount: Int = 4_000) -> Interval? {
        guard before.count >= 2, after.count >= 2, let old = before.median,
            let new = after.median, old > 0, new > 0
        else { return nil }
        var random = Random(seed, 0xD1FF)
        let ratios = (0..<resampleCount).map { _ -> Double in
            let drawn = Self.resampledMedian(before, &random)
            let rate = Self.resampledMedian(after, &random)
            return drawn > 0 ? rate / drawn : .greatestFiniteMagnitude
        }.sorted()
        let tail = Bootstrap.tailShare(
            clusterCount: min(before.count, after.count), confidence: 0.95)
        return Interval(
            lower: min(ratios.quantile(tail), new / old), median: new / old,
            upper: max(ratios.quantile(1 - tail), new / old))
    }

    private static func resampledMedian(_ rates: [Double], _ random: inout Random) -> Double {
        rates.indices.map { _ in rates[random.below(rates.count)] }.sorted().quantile(0.5)
    }
}

/// Student's t distribution: how far the mean of few samples lies off, in units of their spread.
package enum StudentT {
    /// The number that `probability` of the distribution lies below.
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

/// A median, and between what the true one lies with 95 % confidence.
package struct Interval: Codable, Sendable, Equatable {
    package let lower: Double
    package let median: Double
    package let upper: Double

    package init(lower: Double, median: Double, upper: Double) {
        precondition(lower <= median && median <= upper, "a median lies inside its interval")
        (self.lower, self.median, self.upper) = (lower, median, upper)
    }

    package func contains(_ number: Double) -> Bool { lower <= number && number <= upper }
    /// As `1.001 - 1.034`.
    var text: String { Format.fixed(lower, 3) + " - " + Format.fixed(upper, 3) }
}

extension Collection<Double> {
    /// The middle of the sorted numbers, or the mean of the two in the middle; nil of none.
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
