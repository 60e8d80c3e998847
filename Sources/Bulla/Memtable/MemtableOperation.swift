package import BullaMemory

/// What a memtable says of a key.
package enum MemtableChange {
    /// The key has this value, whatever the tree says.
    case put(ByteView)
    /// The key is gone, whatever the tree says.
    case tombstone
}

/// An operation as it stands among a memtable's bytes.
///
///     offset  bytes  field
///          0      4  the value's byte count; 2^32 - 1 for a tombstone
///          4      2  the key's byte count
///          6      -  key, value
///
/// Which tree it belongs to is said once for many.
package enum MemtableOperation {
    package static let headerByteCount = 6
    package static let keyByteLimit = Int(UInt16.max)
    package static let valueByteLimit = Int(tombstone) - 1
    static let tombstone = UInt32.max
    static let keyByteCountOffset = 4

    /// How long the operation is that puts such a value.
    package static func byteCount(key: Int, value: Int) -> Int { headerByteCount + key + value }

    /// Writes an operation; `nil` for `value` makes it a tombstone.
    package static func write(_ bytes: MutableByteView, key: ByteView, value: ByteView?) {
        bytes.store(value.map { UInt32($0.byteCount) } ?? tombstone, at: 0)
        bytes.store(UInt16(key.byteCount), at: keyByteCountOffset)
        bytes.copy(key, to: headerByteCount)
        if let value { bytes.copy(value, to: headerByteCount + key.byteCount) }
    }
}
