/// Zipfian numbers whose popular ones are scattered over `0 ..< count`.
///
/// - Source: YCSB 0.17, `ScrambledZipfianGenerator`, with its published constants: a zipfian over
///   10^10 numbers, theta 0.99, zeta 26.46902820178302, hashed, modulo `count`.
package struct ScrambledZipfian: Sendable {
    private static let zipfian = Zipfian(
        count: 10_000_000_000, theta: Zipfian.publishedTheta, zeta: 26.46902820178302)

    private let count: UInt64

    package init(count: Int) {
        precondition(count > 0, "there is something to draw")
        self.count = UInt64(count)
    }

    package func next(_ random: inout Random) -> Int {
        Int(YCSBHash.hash(Self.zipfian.next(&random)) % count)
    }
    /// How likely ``next(_:)`` is to draw each number.
    ///
    /// Who the most popular numbers of the zipfian fall upon is counted; the others, each of which
    /// is drawn once in 10^7 times at most, are taken as spread evenly.
    ///
    /// - Parameter countedLimit: how many are counted: enough for few numbers, as `count` is.
    package func probabilities(counted countedLimit: UInt64 = 500_000) -> [Double] {
        var shares = [Double](repeating: 0, count: Int(count))
        var rest = 1.0
        for number in 0..<countedLimit {
            let share = Self.zipfian.probability(of: number)
            shares[Int(YCSBHash.hash(number) % count)] += share
            rest -= share
        }
        return shares.map { $0 + rest / Double(count) }
    }
}
