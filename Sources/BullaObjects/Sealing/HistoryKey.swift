internal import BullaMemory

/// The key of a former value in its model's history tree, in which the newest of a property's
/// former values comes first.
///
///     bytes  field
///         2  n, big-endian
///         n  key of the object
///         4  property, big-endian
///         8  complement of the sequence, big-endian
///
/// The sequence is the time at which the value was sealed, as in ``SealedBytes``.
enum HistoryKey {
    static func prefix(_ key: [UInt8]) -> [UInt8] { bigEndian(key.count, 2) + key }

    static func prefix(_ spot: SealedSpot) -> [UInt8] {
        prefix(spot.key) + bigEndian(spot.property, propertyByteCount)
    }

    static func bytes(_ spot: SealedSpot, _ sequence: UInt64) -> [UInt8] {
        prefix(spot) + bigEndian(~sequence, sequenceByteCount)
    }

    /// The part of a history key before the sequence, and the number of its property; `nil` if the
    /// bytes are not a history key.
    static func parts(of key: ByteView) -> (prefix: [UInt8], property: UInt32)? {
        let bytes = key.copied()
        guard bytes.count >= 2 else { return nil }
        let keyEnd = 2 + (Int(bytes[0]) << 8 | Int(bytes[1]))
        guard bytes.count == keyEnd + propertyByteCount + sequenceByteCount else { return nil }
        let prefix = bytes[..<(keyEnd + propertyByteCount)]
        return (Array(prefix), prefix[keyEnd...].reduce(0) { $0 << 8 | UInt32($1) })
    }

    private static let propertyByteCount = 4
    private static let sequenceByteCount = 8

    /// The sequence in a key with this prefix; `nil` if the key is not a history key.
    static func sequence(of key: ByteView, after prefix: [UInt8]) -> UInt64? {
        guard key.byteCount == prefix.count + sequenceByteCount else { return nil }
        let bytes = key.slice(prefix.count, sequenceByteCount).copied()
        return ~bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bigEndian(_ number: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (1...count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - $0))) }
    }
}
