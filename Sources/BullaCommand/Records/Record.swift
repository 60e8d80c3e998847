/// One record of an input: an entry for a tree.
///
/// Its buffers are used again for the next one.
struct Record {
    var key: [UInt8] = []
    var value: [UInt8] = []
    /// The line that it begins at, from 1.
    var line = 0
    /// Set where the input says so itself, as a dump does: the tree that the entries from here on
    /// go to.
    var tree: [UInt8]?
    /// Whether there is a key; without one the record only names a tree.
    var hasEntry = true
    /// Whether more of the value follows: see ``RecordReader/readMore(_:)``.
    var hasMore = false

    mutating func clear() {
        key.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        tree = nil
        hasEntry = true
        hasMore = false
    }
}

/// Reads the records of one input, in order.
protocol RecordReader {
    var input: ByteReader { get }

    /// Reads the next record.
    ///
    /// - Returns: `false` at the end.
    /// - Throws: an error with file and line when the input is malformed.
    mutating func read(_ record: inout Record) throws -> Bool

    /// Replaces the value with the next part of it.
    ///
    /// - Returns: `false` when it was whole already.
    mutating func readMore(_ record: inout Record) throws -> Bool
}

extension RecordReader {
    mutating func readMore(_ record: inout Record) throws -> Bool { false }
}
