/// SHAKE-128, which generates and hashes the accumulated vectors of XAES-256-GCM.
///
/// - Source: NIST FIPS 202.
struct Shake128 {
    private static let rate = 168
    private var state = [UInt64](repeating: 0, count: 25)
    private var place = 0
    private var isSqueezing = false

    mutating func absorb(_ bytes: [UInt8]) {
        precondition(!isSqueezing, "nothing is absorbed once something was squeezed")
        for byte in bytes {
            state[place / 8] ^= UInt64(byte) << (place % 8 * 8)
            place += 1
            if place == Self.rate { permute() }
        }
    }

    mutating func squeeze(_ count: Int) -> [UInt8] {
        if !isSqueezing {
            isSqueezing = true
            state[place / 8] ^= 0x1f << (place % 8 * 8)
            state[Self.rate / 8 - 1] ^= 1 << 63
            permute()
        }
        return (0..<count).map { _ in
            if place == Self.rate { permute() }
            defer { place += 1 }
            return UInt8(truncatingIfNeeded: state[place / 8] >> (place % 8 * 8))
        }
    }

    /// Keccak-f[1600], FIPS 202, section 3.
    private mutating func permute() {
        place = 0
        var next = state
        for round in Self.roundConstants {
            mixColumns()
            for index in 0..<25 {
                let (x, y) = (index % 5, index / 5)
                let (lane, count) = (state[index], Self.rotations[index])
                next[y + 5 * ((2 * x + 3 * y) % 5)] = lane << count | lane >> (64 - count)
            }
            for row in stride(from: 0, to: 25, by: 5) {
                for x in 0..<5 {
                    let (second, third) = (next[row + (x + 1) % 5], next[row + (x + 2) % 5])
                    state[row + x] = next[row + x] ^ (~second & third)
                }
            }
            state[0] ^= round
        }
    }

    private mutating func mixColumns() {
        var columns = Array(state.prefix(5))
        for index in 5..<25 { columns[index % 5] ^= state[index] }
        for x in 0..<5 {
            let right = columns[(x + 1) % 5]
            let mixed = columns[(x + 4) % 5] ^ (right << 1 | right >> 63)
            for y in stride(from: 0, to: 25, by: 5) { state[x + y] ^= mixed }
        }
    }

    /// FIPS 202, table 2: how far the lane x + 5 y is rotated.
    private static let rotations: [UInt64] = [
        0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56,
        14,
    ]

    private static let roundConstants: [UInt64] = {
        // FIPS 202, algorithm 5.
        var register: UInt8 = 1
        return (0..<24).map { _ in
            var constant: UInt64 = 0
            for bit in 0..<7 {
                if register & 1 == 1 { constant |= 1 << ((1 << bit) - 1) }
                register = register << 1 ^ (register >> 7 == 1 ? 0x71 : 0)
            }
            return constant
        }
    }()
}
