internal import BullaBenchKit
internal import BullaPeer

/// SQLite or SQLCipher, used as the documentation recommends for many readers and one writer.
///
/// The table is one tree from keys to values, without row numbers. A single statement outside a
/// transaction is a transaction of its own. Closing moves the log into the database file, so that
/// this file alone is the store.
final class SQLEngine: Engine {
    static let fileName = "store.sqlite"

    private let setup: EngineSetup
    private let settings: SQLSettings

    /// Opens the store; makes it if it does not exist.
    init(_ setup: EngineSetup) throws {
        self.setup = setup
        settings = try SQLSettings(setup)
        let connection = try SQLConnection(setup)
        try Self.checkLibrary(connection)
        try connection.run(
            "CREATE TABLE IF NOT EXISTS records (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
    }

    var facts: EngineFacts {
        get throws {
            let connection = try SQLConnection(setup)
            let pages =
                try connection.number("PRAGMA page_count")
                - connection.number("PRAGMA freelist_count")
            return EngineFacts(
                engine: try Self.name(connection), isEncrypted: setup.key != nil,
                configuration: settings.text,
                liveByteCount: try pages * connection.number("PRAGMA page_size"),
                transientFiles: [Self.fileName + "-shm"])
        }
    }

    /// Leaves out commits and flushes, which SQLite does not count.
    var counters: EngineCounters {
        EngineCounters(byteCountWritten: EngineCounters.writtenByProcess)
    }

    func session() throws -> any EngineSession {
        try SQLSession(SQLConnection(setup))
    }

    func drain() throws { try SQLConnection(setup).checkpoint() }
    func close() throws { try drain() }

    #if SQLITE_HAS_CODEC
    private static func name(_ connection: SQLConnection) throws -> String {
        let version = try connection.text("PRAGMA cipher_version") ?? "unknown"
        let base = try connection.text("SELECT sqlite_version()") ?? "unknown"
        return "SQLCipher \(version) (SQLite \(base))"
    }

    /// Checks that the library encrypts, because SQLite would accept the key and ignore it.
    private static func checkLibrary(_ connection: SQLConnection) throws {
        guard try connection.text("PRAGMA cipher_version") != nil else {
            throw BenchError(.store, "SQLCipher: the library does not encrypt")
        }
    }
    #else
    private static func name(_ connection: SQLConnection) throws -> String {
        "SQLite \(try connection.text("SELECT sqlite_version()") ?? "unknown")"
    }

    private static func checkLibrary(_ connection: SQLConnection) throws {}
    #endif
}
