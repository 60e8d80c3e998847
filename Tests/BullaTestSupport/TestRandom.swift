/// Random numbers that a seed reproduces (SplitMix64).
package struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: some BinaryInteger) {
        state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `limit - 1`.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// True once in `count` times.
    package mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    package mutating func pick<C: RandomAccessCollection<T>, T>(_ list: C) -> T
    where C.Index == Int {
        list[list.startIndex + below(list.count)]
    }

    /// Random bytes, taken in pieces from a pool, so that long runs of bytes are cheap.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let start = below(Self.pool.count)
            bytes += Self.pool[start...].prefix(count - bytes.count)
        }
        bytes[below(count)] = UInt8(truncatingIfNeeded: next())
        return bytes
    }

    /// Random bytes drawn for this call alone, whereas bytes from the pool exist twice in memory.
    package mutating func uniqueBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = next()
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        return Array(bytes.prefix(count))
    }

    private static let pool: [UInt8] = {
        var random = TestRandom(seed: 1)
        return (0..<1 << 16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }()
}
