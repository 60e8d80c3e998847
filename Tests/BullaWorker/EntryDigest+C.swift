/// A digest of entries that does not depend on their order: the sum of a hash of each.
package struct EntryDigest: Equatable, Sendable {
    package private(set) var sum: UInt64 = 0
    package private(set) var count = 0

    package init() {}

    package init(sum: UInt64, count: Int) {
        self.sum = sum
        self.count = count
    }

    package mutating func add(_ key: RawSpan, _ value: RawSpan) {
        sum &+= Self.hash(value, seed: Self.hash(key, seed: UInt64(key.byteCount)))
        count += 1
    }

    package mutating func add(_ other: EntryDigest) {
        sum &+= other.sum
        count += other.count
    }

    /// A hash of bytes that continues another.
    package static func hash(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        mix(fold(bytes, into: seed ^ 0x9E37_79B9_7F4A_7C15), UInt64(bytes.byteCount))
    }

    /// Continues a hash; bytes that come in parts of whole words give the same hash as in one
    /// piece.
    package static func fold(_ bytes: RawSpan, into start: UInt64) -> UInt64 {
        var state = start
        var offset = 0
        while offset + 8 <= bytes.byteCount {
            // SAFETY: eight bytes from `offset` lie inside; any bits are an integer.
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state = mix(state, UInt64(littleEndian: word))
            offset += 8
        }
        while offset < bytes.byteCount {
            // SAFETY: `offset` lies inside.
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            state = mix(state, UInt64(byte))
            offset += 1
        }
        return state
    }

    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
        return product ^ product >> 32
    }
}
