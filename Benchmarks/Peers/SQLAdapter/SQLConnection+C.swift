internal import BullaBenchKit

#if SQLITE_HAS_CODEC
internal import CSQLCipher
#else
internal import CSQLite
#endif

/// A connection for one thread, with the settings that all connections of a store have.
@safe final class SQLConnection {
    private let connection: OpaquePointer

    /// How long a connection waits for the writer: longer than any commit takes, so that no
    /// connection gives up.
    private static let busyMilliseconds: Int32 = 60_000

    /// Opens the store; makes an empty file if there is none.
    init(_ setup: EngineSetup) throws {
        let path = setup.file(SQLEngine.fileName)
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        // SAFETY: the handle lives until deinit, even if opening has failed.
        let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard let connection = unsafe handle else { throw BenchError(.store, "SQLite: no handle") }
        unsafe self.connection = connection
        try check(code, "open \(path)")
        try check(unsafe sqlite3_busy_timeout(connection, Self.busyMilliseconds), "set a limit")
        for statement in try SQLSettings(setup).statements { try run(statement) }
    }

    deinit {
        // SAFETY: the connection was made in `init`; the library frees it once no statement needs
        // it any more.
        _ = unsafe sqlite3_close_v2(connection)
    }

    /// Runs a statement once.
    func run(_ text: String) throws {
        // SAFETY: the text lives across the call.
        try check(unsafe sqlite3_exec(connection, text, nil, nil, nil), SQLSettings.attempt(text))
    }

    /// Prepares a statement that runs many times.
    func prepare(_ text: String) throws -> SQLStatement {
        var handle: OpaquePointer?
        // SAFETY: the statement owns the handle from now on, and keeps the connection open.
        try check(unsafe sqlite3_prepare_v2(connection, text, -1, &handle, nil), text)
        guard let statement = unsafe handle else {
            throw BenchError(.store, "SQLite: \(text): no statement")
        }
        return unsafe SQLStatement(statement, of: self, text)
    }

    /// The first column of a statement's first row, as text; nil if there is no row or no text.
    func text(_ statement: String) throws -> String? {
        let statement = try prepare(statement)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    func number(_ statement: String) throws -> Int {
        try text(statement).flatMap { Int($0) } ?? 0
    }

    /// Moves the log into the database file, and empties the log.
    ///
    /// If other connections still use the log, the last of them does this when it closes.
    func checkpoint() throws {
        // SAFETY: the connection is open; no counts are asked for.
        let code = unsafe sqlite3_wal_checkpoint_v2(
            connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code != SQLITE_BUSY else { return }
        try check(code, "checkpoint")
    }

    @inline(__always)
    func check(_ code: Int32, _ attempt: @autoclosure () -> String) throws {
        guard code != SQLITE_OK else { return }
        // SAFETY: the string is copied before the connection is used again.
        let reason = unsafe String(cString: sqlite3_errmsg(connection))
        throw BenchError(.store, "SQLite: \(attempt()): \(reason) (\(code))")
    }
}
