internal import BullaBenchKit
internal import BullaPeer
internal import CLMDB

/// LMDB, used as its documentation recommends.
///
/// The map is larger than the data will ever be, which costs only address space. Each session keeps
/// a read transaction and renews it; the slot in the table of readers belongs to that transaction
/// and not to the thread. Commits are durable by default. For relaxed commits LMDB leaves out all
/// flushes (`MDB_NOSYNC`), and the application flushes when it likes: here, every second. With
/// `MDB_NOMETASYNC`, each commit would still wait for the disk.
@safe final class LMDBEngine: Engine, @unchecked Sendable {
    let environment: OpaquePointer
    let database: MDB_dbi
    private let ticker: Ticker?
    private let setup: EngineSetup

    /// Opens the store; makes it if it does not exist.
    init(_ setup: EngineSetup) throws {
        try setup.requirePlain("LMDB")
        var handle: OpaquePointer?
        // SAFETY: the handle lives until `close`, after which the engine is not used.
        try unsafe LMDB.check(mdb_env_create(&handle), "create an environment")
        guard let environment = unsafe handle else { throw BenchError(.store, "LMDB: no handle") }
        do {
            try unsafe Self.open(environment, setup)
            database = try unsafe Self.openDatabase(environment)
        } catch {
            unsafe mdb_env_close(environment)
            throw error
        }
        unsafe self.environment = environment
        self.setup = setup
        let kept = unsafe Pointer(environment)
        ticker =
            setup.isDurable
            ? nil : Ticker { try unsafe LMDB.check(mdb_env_sync(kept.address, 1), "flush") }
    }

    var facts: EngineFacts {
        get throws {
            EngineFacts(
                engine: LMDB.version, isEncrypted: false,
                configuration: "map \(Self.mapByteCount(setup) >> 30) GiB, no cache but the "
                    + "system's, a read transaction for each thread, renewed (MDB_NOTLS), every "
                    + "commit flushed; relaxed: MDB_NOSYNC and a flush each second, where a crash "
                    + "of the system can damage the file",
                liveByteCount: try liveByteCount(), transientFiles: ["lock.mdb"])
        }
    }

    var counters: EngineCounters {
        get throws {
            var info = unsafe MDB_envinfo()
            // SAFETY: the environment is open, and the call fills the struct.
            try unsafe LMDB.check(mdb_env_info(environment, &info), "describe the environment")
            return unsafe EngineCounters(
                commits: UInt64(info.me_last_txnid),
                byteCountWritten: EngineCounters.writtenByProcess)
        }
    }

    func session() throws -> any EngineSession {
        try LMDBSession(self)
    }

    func rest() throws { try drain() }

    /// Flushes relaxed commits; durable ones leave no work behind.
    func drain() throws {
        guard !setup.isDurable else { return }
        // SAFETY: the environment is open, and every thread may use it.
        try unsafe LMDB.check(mdb_env_sync(environment, 1), "flush")
    }

    func close() throws {
        // SAFETY: all sessions have ended. The ticker has ended once `stop` returns or throws.
        defer { unsafe mdb_env_close(environment) }
        try ticker?.stop()
        try drain()
    }

    private func liveByteCount() throws -> Int {
        var statistics = MDB_stat()
        // SAFETY: the environment is open, and the call fills the struct.
        try unsafe LMDB.check(mdb_env_stat(environment, &statistics), "count pages")
        let pages =
            statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
        return Int(pages) * Int(statistics.ms_psize)
    }

    /// Many times the size of all data, and at least 64 GiB.
    private static func mapByteCount(_ setup: EngineSetup) -> Int {
        let gibibytes = setup.payloadByteCount >> 30 + 1
        return max(64, gibibytes * 16) << 30
    }

    private static func open(_ environment: OpaquePointer, _ setup: EngineSetup) throws {
        // SAFETY: the handle was just made, and the path lives across the call.
        try unsafe LMDB.check(
            mdb_env_set_mapsize(environment, mapByteCount(setup)), "set the map's size")
        try unsafe LMDB.check(
            mdb_env_set_maxreaders(environment, UInt32(max(126, 2 * setup.laneCount))),
            "set the number of readers")
        let flags = MDB_NOTLS | (setup.isDurable ? 0 : MDB_NOSYNC)
        try unsafe LMDB.check(
            mdb_env_open(environment, setup.folder, UInt32(flags), 0o600), "open \(setup.folder)")
    }

    private static func openDatabase(_ environment: OpaquePointer) throws -> MDB_dbi {
        var database = MDB_dbi()
        var transaction: OpaquePointer?
        // SAFETY: the transaction ends here; the handle of the database outlives it.
        try unsafe LMDB.check(
            mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction), "begin to read")
        let code = unsafe mdb_dbi_open(transaction, nil, 0, &database)
        try unsafe LMDB.check(mdb_txn_commit(transaction), "end to read")
        try LMDB.check(code, "open the database")
        return database
    }
}

/// The version of LMDB, and its errors.
enum LMDB {
    static var version: String {
        // SAFETY: the string is LMDB's own, and constant.
        let text = unsafe String(cString: mdb_version(nil, nil, nil))
        return text.prefix { $0 != ":" }.description
    }

    @inline(__always)
    static func check(_ code: Int32, _ attempt: @autoclosure () -> String) throws {
        guard code != 0 else { return }
        throw error(code, attempt())
    }

    private static func error(_ code: Int32, _ attempt: String) -> BenchError {
        // SAFETY: the string is LMDB's or the C library's; it is copied at once.
        BenchError(.store, unsafe "LMDB: \(attempt): \(String(cString: mdb_strerror(code)))")
    }
}

/// A handle that can be passed to another thread, which LMDB allows.
@safe struct Pointer: @unchecked Sendable {
    let address: OpaquePointer

    init(_ address: OpaquePointer) {
        unsafe self.address = address
    }
}
