#if PostgreSQL
internal import CPostgreSQL

/// The rows that a statement returned, in the binary format.
@safe final class QueryResult {
    private let handle: OpaquePointer

    /// - Parameter handle: a result of libpq, which this object frees.
    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit {
        // SAFETY: the handle is ours, and no method hands out a pointer into its memory.
        unsafe PQclear(handle)
    }

    // SAFETY: here and below, the handle lives as long as this object. libpq checks each row and
    // column index that it is passed, and has checked the lengths of values when it parsed the
    // server's message.
    var rowCount: Int { unsafe Int(PQntuples(handle)) }

    /// How many rows a change affected.
    var changedCount: Int {
        // SAFETY: the text is the result's own, and ends with a zero.
        unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0
    }

    /// The name of the command that was executed, such as `COMMIT`.
    var command: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(handle, Int32(row), Int32(column)) != 0
    }

    func bytes(_ row: Int, _ column: Int) throws(StatementFailure) -> [UInt8] {
        guard row < rowCount, unsafe column < Int(PQnfields(handle)), !isNull(row, column),
            let start = unsafe PQgetvalue(handle, Int32(row), Int32(column))
        else { throw .malformed("column \(column) is missing, or null") }
        let count = unsafe Int(PQgetlength(handle, Int32(row), Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func integer(_ row: Int, _ column: Int) throws(StatementFailure) -> Int64 {
        let bytes = try bytes(row, column)
        guard bytes.count == 8 else {
            throw .malformed("column \(column) has \(bytes.count) bytes, and not eight")
        }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    func text(_ row: Int, _ column: Int) throws(StatementFailure) -> String {
        guard let text = String(validating: try bytes(row, column), as: UTF8.self) else {
            throw .malformed("column \(column) is not text")
        }
        return text
    }
}
#endif
