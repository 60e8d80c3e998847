internal import BullaBenchKit

#if SQLITE_HAS_CODEC
internal import CSQLCipher
#else
internal import CSQLite
#endif

/// A prepared statement.
@safe final class SQLStatement {
    private let statement: OpaquePointer
    private let connection: SQLConnection
    private let attempt: String

    init(_ statement: OpaquePointer, of connection: SQLConnection, _ attempt: String) {
        unsafe self.statement = statement
        self.connection = connection
        self.attempt = attempt
    }

    deinit {
        // SAFETY: the statement was made by `prepare`, and is no longer used.
        unsafe sqlite3_finalize(statement)
    }

    /// Binds bytes, which must stay where they are until the statement has been reset
    /// (`SQLITE_STATIC`).
    @inline(__always)
    func bind(_ place: Int32, _ bytes: RawSpan) throws {
        // SAFETY: see above.
        let code = unsafe bytes.withUnsafeBytes { buffer in
            // A blob without an address would be bound as NULL.
            unsafe buffer.isEmpty
                ? unsafe sqlite3_bind_zeroblob(statement, place, 0)
                : unsafe sqlite3_bind_blob64(
                    statement, place, buffer.baseAddress, UInt64(buffer.count), nil)
        }
        try connection.check(code, "bind: \(attempt)")
    }

    /// Moves to the next row.
    ///
    /// - Returns: false if there is none.
    @inline(__always)
    func step() throws -> Bool {
        // SAFETY: the statement lives as long as this object.
        let code = unsafe sqlite3_step(statement)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            try connection.check(code, attempt)
            return false
        }
        return false
    }

    /// Runs a statement without rows to its end, and makes it ready to run again.
    @inline(__always)
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    @inline(__always)
    func reset() {
        // SAFETY: the statement lives as long as this object. `step` has reported any error.
        _ = unsafe sqlite3_reset(statement)
    }

    /// Lends the bytes of a column of this row.
    @inline(__always)
    func lend<R>(_ column: Int32, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: the bytes stay in place until the statement moves on, which `body` does not
        // cause.
        let start = unsafe sqlite3_column_blob(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe RawSpan(_unsafeBytes: bytes))
    }

    func text(_ column: Int32) -> String? {
        // SAFETY: the string is copied before the statement moves on.
        unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) }
    }
}
