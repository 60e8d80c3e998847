internal import Glibc

/// Zipfian numbers of `0 ..< count`: `k` is drawn roughly in proportion to `1 / (k + 1) ^ theta`.
///
/// - Source: YCSB 0.17, `ZipfianGenerator`, which follows Gray et al., "Quickly Generating
///   Billion-Record Synthetic Databases", SIGMOD 1994. The first two probabilities are exact; the
///   others follow that paper's closed form, as in YCSB; ``probability(of:)`` returns them.
package struct Zipfian: Sendable {
    package static let publishedTheta = 0.99

    package private(set) var count: UInt64
    package let theta: Double
    private var zeta: Double
    private var eta: Double
    private let alpha: Double

    /// Prepares to draw from `count` numbers, by summing up `count` terms.
    package init(count: UInt64, theta: Double = Self.publishedTheta) {
        self.init(count: count, theta: theta, zeta: Self.zeta(count, theta))
    }

    package init(count: UInt64, theta: Double, zeta: Double) {
        precondition(
            count >= 2 && theta > 0 && theta < 1, "a zipfian has numbers and a theta below 1")
        (self.count, self.theta, self.zeta) = (count, theta, zeta)
        alpha = 1 / (1 - theta)
        eta = Self.eta(count, theta, zeta)
    }

    /// Draws from more numbers from now on; sums up one term for each new one.
    ///
    /// YCSB keeps its first `eta`; here it changes with the count, to match ``probability(of:)``.
    package mutating func grow(to newCount: UInt64) {
        precondition(newCount >= count, "a zipfian does not shrink")
        guard newCount > count else { return }
        zeta = Self.zeta(newCount, theta, after: count, sum: zeta)
        count = newCount
        eta = Self.eta(count, theta, zeta)
    }

    package func next(_ random: inout Random) -> UInt64 {
        let unit = random.unit()
        let scaled = unit * zeta
        if scaled < 1 { return 0 }
        if scaled < 1 + pow(0.5, theta) { return 1 }
        return min(UInt64(Double(count) * pow(eta * unit - eta + 1, alpha)), count - 1)
    }

    /// The probability that ``next(_:)`` draws `number`; from 2 on, by inverting the closed form.
    package func probability(of number: UInt64) -> Double {
        switch number {
        case 0: 1 / zeta
        case 1: pow(0.5, theta) / zeta
        default: max(0, share(below: number + 1) - max(share(below: number), headShare))
        }
    }

    /// The probability of drawing 0 or 1.
    private var headShare: Double { (1 + pow(0.5, theta)) / zeta }

    /// The share of draws in which the closed form gives less than `number`.
    private func share(below number: UInt64) -> Double {
        (pow(Double(number) / Double(count), 1 - theta) - 1 + eta) / eta
    }

    /// The sum of the first `count` terms, given that `sum` is the sum of the first `known`.
    private static func zeta(
        _ count: UInt64, _ theta: Double, after known: UInt64 = 0, sum: Double = 0
    ) -> Double { (known..<count).reduce(sum) { $0 + 1 / pow(Double($1 + 1), theta) } }

    private static func eta(_ count: UInt64, _ theta: Double, _ zeta: Double) -> Double {
        (1 - pow(2 / Double(count), 1 - theta)) / (1 - Self.zeta(2, theta) / zeta)
    }
}

/// Zipfian numbers, with the popular numbers scattered over `0 ..< count`.
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
    /// The probability that ``next(_:)`` draws each number.
    ///
    /// The most popular numbers of the zipfian are hashed and counted one by one. The others, each
    /// drawn at most once in 10^7 times by default, are taken to be spread evenly.
    ///
    /// - Parameter countedLimit: how many are counted one by one; the default suits a low `count`.
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

/// Draws the numbers of records, most often those of the newest.
///
/// The distance from the newest record is zipfian. As in YCSB, there is one fewer distance than
/// there are records, so record 0 is never drawn, unless there are only two records.
///
/// - Source: YCSB 0.17, `SkewedLatestGenerator`, with the constants of ``Zipfian``.
package struct SkewedLatest: Sendable {
    package private(set) var count: Int
    private var distance: Zipfian

    /// Prepares to draw from the records `0 ..< count`, by summing up one term for each.
    package init(count: Int) {
        precondition(count >= 2, "there is something to draw")
        self.count = count
        distance = Zipfian(count: Self.distanceCount(count))
    }

    /// Draws from the records `0 ..< newCount` from now on; sums up one term for each new one.
    package mutating func grow(to newCount: Int) {
        precondition(newCount >= count, "records are inserted only")
        count = newCount
        distance.grow(to: Self.distanceCount(newCount))
    }

    package func next(_ random: inout Random) -> Int { count - 1 - Int(distance.next(&random)) }

    /// The probability that ``next(_:)`` draws `number`.
    package func probability(of number: Int) -> Double {
        let distance = UInt64(count - 1 - number)
        return distance < self.distance.count ? self.distance.probability(of: distance) : 0
    }

    private static func distanceCount(_ count: Int) -> UInt64 { UInt64(max(count - 1, 2)) }
}
