/// Random numbers that a seed repeats (SplitMix64).
package struct SimulationRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

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

    package mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }
}
