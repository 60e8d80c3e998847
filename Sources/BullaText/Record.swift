/// One record of an input: an entry for a tree, or the name of the tree for the entries after it.
///
/// Its buffers are reused for the next record.
package struct Record {
    package var key: [UInt8] = []
    package var value: [UInt8] = []
    /// The number of the line at which the record begins, from 1.
    package var line = 0
    /// The tree for the entries after this record, if the record names one.
    ///
    /// Only a record of a dump can name a tree.
    package var tree: [UInt8]?
    /// Whether the record is an entry; otherwise it only names a tree.
    package var hasEntry = true
    /// Whether the value has more parts: see ``RecordReader/readMore(_:)``.
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

/// The fields of a record that make up its key and its value.
package struct RecordFields: Sendable {
    /// The fields whose contents, joined with spaces, are the key; empty for the default of the
    /// format.
    package var key: [String]
    /// The field whose content is the value; `nil` for the whole record.
    package var value: String?
    /// Whether the value is the unchanged row of a table, instead of a JSON object.
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
    /// - Throws: an error with file and line if the input is malformed.
    mutating func read(_ record: inout Record) throws -> Bool

    /// Replaces the value with its next part.
    ///
    /// - Returns: `false` if the value was complete.
    mutating func readMore(_ record: inout Record) throws -> Bool
}

extension RecordReader {
    package mutating func readMore(_ record: inout Record) throws -> Bool { false }
}
