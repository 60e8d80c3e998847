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
    /// - Parameter clusters: one list of samples for each round.
    /// - Returns: nil where fewer than two clusters have samples: nothing is known of their spread.
    package mutating func interval(ofMedian clusters: [[Double]]) -> Interval? {
        let clusters = clusters.filter { !$0.isEmpty }
        guard clusters.count >= 2, let median = clusters.joined().median else { return nil }
        let medians = (0..<resampleCount).map { _ in resampledMedian(clusters) }.sorted()
        let tail = Self.tailShare(clusterCount: clusters.count)
        // The observed median always lies inside: clamped, since an uneven sample can push it out.
        return Interval(
            lower: min(medians.quantile(tail), median), median: median,
            upper: max(medians.quantile(1 - tail), median))
    }

    private mutating func resampledMedian(_ clusters: [[Double]]) -> Double {
        var drawn: [Double] = []
        for _ in clusters {
            let cluster = clusters[random.below(clusters.count)]
            for _ in cluster { drawn.append(cluster[random.below(cluster.count)]) }
        }
        return drawn.sorted().quantile(0.5)
    }

    /// What is cut off at each end: 0.025 for many clusters, less for few.
    static func tailShare(clusterCount: Int) -> Double {
        let count = Double(clusterCount)
        let reach = (count / (count - 1)).squareRoot() * StudentT.quantile975(clusterCount - 1)
        return erfc(reach / 2.0.squareRoot()) / 2
    }
}
