/// Random numbers that a seed repeats (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `limit - 1`.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { bytes += next().bytes }
        return Array(bytes.prefix(count))
    }
}

extension UInt64 {
    /// The number's eight bytes, the greatest first, so that they sort as the number does.
    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

    /// The number of which these are the bytes.
    package init(_ bytes: [UInt8]) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
