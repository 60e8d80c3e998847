package import BullaMemory

/// A memtable's change to a key.
package enum MemtableChange {
    /// The key has this value, whatever the tree says.
    case put(ByteView)
    /// The key is gone, whatever the tree says.
    case tombstone
}

/// The layout of an operation among a memtable's bytes.
///
///     offset  bytes  field
///          0      4  the value's byte count; 2^32 - 1 for a tombstone
///          4      2  the key's byte count
///          6      -  key, value
///
/// An operation does not name its tree: the directory does, once for many operations.
package enum MemtableOperation {
    package static let headerByteCount = 6
    package static let keyByteLimit = Int(UInt16.max)
    package static let valueByteLimit = Int(tombstone) - 1
    static let tombstone = UInt32.max
    static let keyByteCountOffset = 4

    /// The length of an operation that puts a value.
    package static func byteCount(key: Int, value: Int) -> Int { headerByteCount + key + value }

    /// Writes an operation; `nil` for `value` makes it a tombstone.
    package static func write(_ bytes: MutableByteView, key: ByteView, value: ByteView?) {
        bytes.store(value.map { UInt32($0.byteCount) } ?? tombstone, at: 0)
        bytes.store(UInt16(key.byteCount), at: keyByteCountOffset)
        bytes.copy(key, to: headerByteCount)
        if let value { bytes.copy(value, to: headerByteCount + key.byteCount) }
    }
}
