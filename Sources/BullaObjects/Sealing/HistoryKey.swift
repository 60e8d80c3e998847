internal import BullaMemory

/// How a former value stands in the tree of its model's: the newest of a property first.
///
///     bytes  field
///         2  n, big-endian
///         n  key of the object
///         4  property, big-endian
///         8  the sequence's complement, big-endian
enum HistoryKey {
    static func prefix(_ key: [UInt8]) -> [UInt8] { bigEndian(key.count, 2) + key }

    static func prefix(_ spot: SealedSpot) -> [UInt8] {
        prefix(spot.key) + bigEndian(spot.property, 4)
    }

    static func bytes(_ spot: SealedSpot, _ sequence: UInt64) -> [UInt8] {
        prefix(spot) + bigEndian(~sequence, 8)
    }

    /// What comes before the sequence in a key, and its property; `nil` where it is none.
    static func parts(of key: ByteView) -> (prefix: [UInt8], property: UInt32)? {
        guard key.byteCount >= 14 else { return nil }
        let bytes = key.copied()
        let keyByteCount = Int(bytes[0]) << 8 | Int(bytes[1])
        guard bytes.count == 2 + keyByteCount + 12 else { return nil }
        let property = bytes[(2 + keyByteCount)..<(6 + keyByteCount)]
        return (
            Array(bytes[..<(6 + keyByteCount)]), property.reduce(0) { $0 << 8 | UInt32($1) }
        )
    }

    /// The sequence in a key that has this prefix; `nil` where it is none.
    static func sequence(of key: ByteView, after prefix: [UInt8]) -> UInt64? {
        guard key.byteCount == prefix.count + 8 else { return nil }
        return ~key.slice(prefix.count, 8).copied().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bigEndian(_ number: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - $0))) }
    }
}
