internal import Glibc

/// How sure the ratio of two medians is, of samples that have nothing to do with each other: rates
/// of two runs, on two days.
///
/// Both samples are drawn again, each by itself, and the percentiles of the ratios are widened for
/// the smaller one as ``Bootstrap`` does.
package struct RateRatio: Sendable {
    private let before: [Double]
    private let after: [Double]

    package init(before: [Double], after: [Double]) {
        self.before = before
        self.after = after
    }

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
        let tail = Self.tailShare(count: min(before.count, after.count))
        return Interval(
            lower: min(ratios.quantile(tail), new / old), median: new / old,
            upper: max(ratios.quantile(1 - tail), new / old))
    }

    private static func resampledMedian(_ rates: [Double], _ random: inout Random) -> Double {
        rates.indices.map { _ in rates[random.below(rates.count)] }.sorted().quantile(0.5)
    }

    /// What is cut off at each end: 0.025 for many rates, less for few.
    private static func tailShare(count: Int) -> Double {
        let reach =
            (Double(count) / Double(count - 1)).squareRoot()
            * StudentT.quantile(0.975, freedom: count - 1)
        return erfc(reach / 2.0.squareRoot()) / 2
    }
}
