internal import Glibc

/// A seeded stream of random numbers, the same on every machine.
///
/// - Source: xoshiro256** 1.0 (Blackman, Vigna 2018), its state filled by SplitMix64.
package struct Random: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    package init(seed: UInt64) {
        var seeder = seed
        state = (
            Self.splitMix(&seeder), Self.splitMix(&seeder), Self.splitMix(&seeder),
            Self.splitMix(&seeder)
        )
    }

    /// A separate stream for each list of numbers, such as the numbers of a run, lane and slice.
    package init(_ parts: UInt64...) { self.init(seed: parts.reduce(0) { Self.mixed($0 ^ $1) }) }

    package mutating func next() -> UInt64 {
        let result = Self.rotated(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotated(state.3, 45)
        return result
    }

    /// A number in `0 ..< bound`; all are equally likely, except for a bias below `bound` / 2^64.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "a bound is positive")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// A number in `0 ..< 1`, with 53 random bits.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// The numbers `0 ..< count`, each once, in random order.
    package mutating func permutation(_ count: Int) -> [Int] {
        var order = Array(0..<count)
        for last in stride(from: count - 1, to: 0, by: -1) { order.swapAt(last, below(last + 1)) }
        return order
    }

    /// Spreads a number over all 64 bits, one to one.
    package static func mixed(_ value: UInt64) -> UInt64 {
        var state = value
        return splitMix(&state)
    }

    private static func splitMix(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }
}

extension Random {
    /// A standard normal number.
    ///
    /// - Source: Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
    package mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }

    /// A number from the exponential distribution with mean 1.
    package mutating func exponential() -> Double { -log(1 - unit()) }
}
