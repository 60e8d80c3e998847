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
