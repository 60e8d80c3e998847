/// One record of an input: an entry for a tree.
///
/// Its buffers are used again for the next one.
package struct Record {
    package var key: [UInt8] = []
    package var value: [UInt8] = []
    /// The line that it begins at, from 1.
    package var line = 0
    /// Set where the input says so itself, as a dump does: the tree that the entries from here on
    /// go to.
    package var tree: [UInt8]?
    /// Whether there is a key; without one the record only names a tree.
    package var hasEntry = true
    /// Whether more of the value follows: see ``RecordReader/readMore(_:)``.
    package var hasMore = false

    package init() {}

    package mutating func clear() {
        key.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        tree = nil
        hasEntry = true
        hasMore = false
    }
}

/// Which fields of a record make its key, and which its value.
package struct RecordFields: Sendable {
    /// The fields whose values, joined with a space, are the key; empty: the format's default.
    package var key: [String]
    /// The field whose value is the value; `nil`: the whole record.
    package var value: String?
    /// Whether a whole row of a table stays as it stands in the file; otherwise it becomes a JSON
    /// object.
    package var keepsRows: Bool

    package init(key: [String] = [], value: String? = nil, keepsRows: Bool = false) {
        self.key = key
        self.value = value
        self.keepsRows = keepsRows
    }
}

/// Reads the records of one input, in order.
package protocol RecordReader {
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
    package mutating func readMore(_ record: inout Record) throws -> Bool { false }
}
