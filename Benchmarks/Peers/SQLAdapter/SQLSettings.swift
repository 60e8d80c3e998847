internal import BullaBenchKit
internal import BullaPeer

/// The statements that set up each connection, in order, and a description of the settings.
struct SQLSettings {
    private static let pageByteCount = 4_096
    /// How many of the key's 64 bytes make a raw key of SQLCipher.
    private static let keyByteCount = 32

    let statements: [String]
    let text: String

    init(_ setup: EngineSetup) throws {
        // Each thread of a worker has a connection, and each connection a cache of its own.
        let connectionCount = max(setup.laneCount / max(setup.workerCount, 1), 1)
        let cacheKibibytes = max((setup.cacheByteLimit / connectionCount) >> 10, 64)
        let synchronous = setup.isDurable ? "FULL" : "NORMAL"
        let (opening, openingText) = try Self.opening(setup)
        statements =
            opening + [
                "PRAGMA journal_mode = WAL",
                "PRAGMA synchronous = \(synchronous)",
                "PRAGMA cache_size = -\(cacheKibibytes)",
            ]
        text =
            "WAL, checkpoints after 1 000 pages, pages 4 KiB, \(openingText), cache "
            + "\(cacheKibibytes) KiB for each connection, WITHOUT ROWID, a connection for each "
            + "thread, prepared statements, synchronous FULL; relaxed: NORMAL, where the disk has "
            + "a commit at the next checkpoint, not sooner"
    }

    #if SQLITE_HAS_CODEC
    private static func opening(_ setup: EngineSetup) throws -> ([String], String) {
        guard let key = setup.key, try setup.keyBytes()?.count ?? 0 >= keyByteCount else {
            throw BenchError(.usage, "open \(setup.folder): SQLCipher needs a key")
        }
        let statements = [
            "PRAGMA key = \"x'\(key.prefix(2 * keyByteCount))'\"",
            "PRAGMA cipher_page_size = \(pageByteCount)",
        ]
        let text =
            "raw key (the first 32 bytes of the key, no derivation), AES-256-CBC, HMAC-SHA1 for "
            + "each page, which is SQLCipher 3's default, no mmap: SQLCipher has none"
        return (statements, text)
    }
    #else
    private static func opening(_ setup: EngineSetup) throws -> ([String], String) {
        try setup.requirePlain("SQLite")
        // How many bytes to map at most; SQLite lowers this to the limit with which it was built.
        let mapByteCount = max(1 << 30, setup.payloadByteCount * 4)
        let statements = [
            "PRAGMA page_size = \(pageByteCount)", "PRAGMA mmap_size = \(mapByteCount)",
        ]
        return (statements, "mmap up to \(mapByteCount >> 20) MiB")
    }
    #endif

    /// A statement as error messages show it: without the key.
    static func attempt(_ statement: String) -> String {
        statement.hasPrefix("PRAGMA key") ? "PRAGMA key" : statement
    }
}
