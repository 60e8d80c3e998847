/// Numbers of records of which the newest are drawn most.
///
/// A number lies zipfian many places before the newest. As in YCSB, where the zipfian is over as
/// many numbers as the newest one says, record 0 is never drawn.
///
/// - Source: YCSB 0.17, `SkewedLatestGenerator`, with the constants of ``Zipfian``.
package struct SkewedLatest: Sendable {
    private var distance: Zipfian

    /// Draws from the records `0 ..< count`, of which there are three at least.
    ///
    /// - Complexity: sums up a term for each record.
    package init(count: Int) {
        precondition(count >= 3, "there is something to draw")
        distance = Zipfian(count: UInt64(count - 1))
    }

    /// How many records there are.
    package var count: Int { Int(distance.count) + 1 }

    /// Draws from the records `0 ..< newCount` from now on, since some were inserted.
    ///
    /// - Complexity: sums up a term for each record that is new.
    package mutating func grow(to newCount: Int) {
        distance.grow(to: UInt64(newCount - 1))
    }

    package func next(_ random: inout Random) -> Int {
        count - 1 - Int(distance.next(&random))
    }

    /// How likely ``next(_:)`` is to draw `number`.
    package func probability(of number: Int) -> Double {
        number == 0 ? 0 : distance.probability(of: UInt64(count - 1 - number))
    }
}
