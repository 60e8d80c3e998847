/// Numbers of records of which the newest are drawn most.
///
/// A number lies zipfian many places before the newest. As in YCSB, where the zipfian is over as
/// many numbers as the newest one says, record 0 is never drawn, unless there are but two.
///
/// - Source: YCSB 0.17, `SkewedLatestGenerator`, with the constants of ``Zipfian``.
package struct SkewedLatest: Sendable {
    /// How many records there are.
    package private(set) var count: Int
    private var distance: Zipfian

    /// Draws from the records `0 ..< count`.
    ///
    /// - Complexity: sums up a term for each record.
    package init(count: Int) {
        precondition(count >= 2, "there is something to draw")
        self.count = count
        distance = Zipfian(count: Self.distanceCount(count))
    }

    /// Draws from the records `0 ..< newCount` from now on, since some were inserted.
    ///
    /// - Complexity: sums up a term for each record that is new.
    package mutating func grow(to newCount: Int) {
        precondition(newCount >= count, "records are inserted only")
        count = newCount
        distance.grow(to: Self.distanceCount(newCount))
    }

    package func next(_ random: inout Random) -> Int {
        count - 1 - Int(distance.next(&random))
    }

    /// How likely ``next(_:)`` is to draw `number`.
    package func probability(of number: Int) -> Double {
        let distance = UInt64(count - 1 - number)
        return distance < self.distance.count ? self.distance.probability(of: distance) : 0
    }

    /// A zipfian has two numbers at least.
    private static func distanceCount(_ count: Int) -> UInt64 { UInt64(max(count - 1, 2)) }
}
