/// Whether the generators draw each number as often as their distributions say (chi-square).
package struct GeneratorCheck: Sendable {
    /// Chance alone gives less once in a thousand times; with the seed fixed, never.
    package static let pValueMinimum = 0.001

    /// As many as there are bins in a test: enough for the shape, few enough for sure counts.
    private static let count = 1_000

    private let drawCount: Int
    private let seed: UInt64

    package init(drawCount: Int = 1_000_000, seed: UInt64 = 1) {
        precondition(drawCount >= 10 * Self.count, "enough is drawn to tell")
        self.drawCount = drawCount
        self.seed = seed
    }

    package func findings() -> [SelfTestFinding] {
        [zipfian(), scrambled(), latest(), uniform(), scanLength()]
    }

    /// Compares what `next` draws of `0 ..< probabilities.count` with how likely each is.
    package func finding(
        _ name: String, _ probabilities: [Double], _ next: (inout Random) -> Int
    ) -> SelfTestFinding {
        var random = Random(seed, 0xC415)
        var seen = [Int](repeating: 0, count: probabilities.count)
        for _ in 0..<drawCount { seen[next(&random)] += 1 }
        let test = ChiSquare(seen: seen, probabilities: probabilities)
        return SelfTestFinding(
            name: "\(name) numbers come as often as they should",
            isPassed: test.pValue >= Self.pValueMinimum,
            text: "chi-square \(Format.fixed(test.statistic, 1)) of \(test.degreesOfFreedom) "
                + "degrees of freedom, p \(Format.fixed(test.pValue, 4)), at least "
                + "\(Self.pValueMinimum) expected")
    }

    private func zipfian() -> SelfTestFinding {
        let zipfian = Zipfian(count: UInt64(Self.count))
        let probabilities = (0..<zipfian.count).map { zipfian.probability(of: $0) }
        return finding("zipfian", probabilities) { Int(zipfian.next(&$0)) }
    }

    private func scrambled() -> SelfTestFinding {
        let scrambled = ScrambledZipfian(count: Self.count)
        return finding("scrambled zipfian", scrambled.probabilities()) { scrambled.next(&$0) }
    }

    /// Of records of which half were inserted since the beginning, one at a time.
    private func latest() -> SelfTestFinding {
        var latest = SkewedLatest(count: Self.count / 2)
        for count in Self.count / 2...Self.count { latest.grow(to: count) }
        let whole = SkewedLatest(count: Self.count)
        let probabilities = (0..<Self.count).map { whole.probability(of: $0) }
        return finding("latest", probabilities) { [latest] in latest.next(&$0) }
    }

    private func uniform() -> SelfTestFinding {
        finding("uniform", even(Self.count)) { $0.below(Self.count) }
    }

    private func scanLength() -> SelfTestFinding {
        finding("scan length", even(ScanLength.limit)) { ScanLength.next(&$0) - 1 }
    }

    private func even(_ count: Int) -> [Double] {
        Array(repeating: 1 / Double(count), count: count)
    }
}
