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

    /// What is cut off at each end: half of what is left of `confidence` for many clusters, less
    /// for few.
    private static func tailShare(clusterCount: Int, confidence: Double) -> Double {
        let count = Double(clusterCount)
        let reach =
            (count / (count - 1)).squareRoot()
            * StudentT.quantile((1 + confidence) / 2, freedom: clusterCount - 1)
        return erfc(reach / 2.0.squareRoot()) / 2
    }
}
