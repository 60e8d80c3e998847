/// Where an entry lies within the lent bytes of a run of entries.
///
/// The ranges of the key and of the value lie within the lent bytes, whatever the file holds. A
/// place has no meaning for other bytes, or after the closure that received it has returned.
public struct EntryPlace: BitwiseCopyable, Sendable {
    /// Where the key begins; the value follows it.
    @usableFromInline let start: UInt32
    @usableFromInline let keyByteCount: UInt32
    /// The value's byte count, with a mark if the value does not lie within the lent bytes.
    @usableFromInline let valueWord: UInt64

    @usableFromInline static var largeMark: UInt64 { 1 << 63 }

    /// A place of no bytes.
    static let empty = EntryPlace(key: 0, 0, valueByteCount: 0)

    /// An entry whose value follows its key.
    @inline(__always)
    init(key start: Int, _ keyByteCount: Int, valueByteCount: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.keyByteCount = UInt32(truncatingIfNeeded: keyByteCount)
        valueWord = UInt64(UInt32(truncatingIfNeeded: valueByteCount))
    }

    /// An entry whose value lies in pages of its own.
    init(key start: Int, _ keyByteCount: Int, largeValueByteCount: UInt64) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.keyByteCount = UInt32(truncatingIfNeeded: keyByteCount)
        valueWord = min(largeValueByteCount, Self.largeMark - 1) | Self.largeMark
    }

    /// Where the key's bytes lie.
    @inlinable @inline(__always)
    public var key: Range<Int> {
        let start = Int(start)
        return start..<start &+ Int(keyByteCount)
    }

    /// Where the value's bytes lie; `nil` if the value is large, and so is not in the leaf.
    ///
    /// To read a large value, pass its key to a function such as `value(forKey:in:)`; that works
    /// even while the run is lent.
    @inlinable @inline(__always)
    public var value: Range<Int>? {
        guard valueWord & Self.largeMark == 0 else { return nil }
        let start = Int(start) &+ Int(keyByteCount)
        return start..<start &+ Int(UInt32(truncatingIfNeeded: valueWord))
    }

    /// The length in bytes of the value, large or not.
    @inlinable @inline(__always)
    public var valueByteCount: Int { Int(valueWord & ~Self.largeMark) }
}
