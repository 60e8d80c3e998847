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
}
