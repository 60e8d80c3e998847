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
