/// Numbers of a growing `0 ..< count`, the latest ones drawn most often.
///
/// - Source: YCSB 0.17, `SkewedLatestGenerator`: how far back from the newest number is zipfian.
package struct SkewedLatest: Sendable {
    private var distance: Zipfian

    package init(count: Int) {
        distance = Zipfian(count: UInt64(max(count, 2)))
    }

    package func next(_ random: inout Random) -> Int {
        Int(distance.count - 1 - distance.next(&random))
    }

    package mutating func grow(to count: Int) {
        distance.grow(to: UInt64(count))
    }
}
