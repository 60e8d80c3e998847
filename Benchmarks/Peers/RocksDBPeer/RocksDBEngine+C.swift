internal import BullaBenchKit
internal import BullaPeer
internal import CRocksDB
internal import Foundation
internal import Synchronization

/// RocksDB with the settings that its tuning guide recommends for unknown workloads.
///
/// It is opened as an optimistic transaction database, which its guide recommends for writers that
/// seldom conflict. Only work that reads and then writes uses such transactions; all other calls go
/// to the database beneath. A store belongs to one process.
@safe final class RocksDBEngine: Engine, @unchecked Sendable {
    /// The database that begins transactions.
    let transactions: OpaquePointer
    /// The database beneath `transactions`, and its only column family.
    let database: OpaquePointer
    let family: OpaquePointer
    private let ticker: Ticker?
    private let setup: EngineSetup
    private let hasLoaded = Atomic(false)

    /// Opens the store; makes it if it does not exist.
    init(_ setup: EngineSetup) throws {
        try setup.requirePlain("RocksDB")
        try setup.requireOneProcess("RocksDB")
        self.setup = setup
        let options = RocksDBOptions(cacheByteLimit: setup.cacheByteLimit)
        // SAFETY: the handles live until `close`, after which the engine is not used.
        unsafe (transactions, family) = try options.open(setup.folder)
        let database = unsafe rocksdb_optimistictransactiondb_get_base_db(transactions)
        guard let database = unsafe database else { throw BenchError(.store, "RocksDB: no handle") }
        unsafe self.database = database
        let kept = unsafe Handle(database)
        ticker = setup.isDurable ? nil : Ticker { try Self.flushLog(kept) }
    }

    private static func flushLog(_ database: Handle) throws {
        // SAFETY: the database is open, and every thread may use it.
        try unsafe RocksDB.call("flush the log") {
            unsafe rocksdb_flush_wal(database.address, 1, &$0)
        }
    }

    var facts: EngineFacts {
        get throws {
            EngineFacts(
                engine: "RocksDB \(try version())", isEncrypted: false,
                configuration: RocksDBOptions.text + ", optimistic transactions for updates, one "
                    + "handle for all threads of one process, log synced by each commit; relaxed: "
                    + "each second",
                liveByteCount: property("rocksdb.estimate-live-data-size"),
                transientFiles: ["LOCK"])
        }
    }

    /// Leaves out commits and flushes: RocksDB counts them only on request, and counting slows it
    /// down.
    var counters: EngineCounters {
        EngineCounters(byteCountWritten: EngineCounters.writtenByProcess)
    }

    func session() throws -> any EngineSession {
        RocksDBSession(self, isDurable: setup.isDurable)
    }

    /// Notes that there was a load, so that `close` waits for the compaction after it, which must
    /// not go on while another engine is measured.
    func noteLoad() {
        hasLoaded.store(true, ordering: .relaxed)
    }

    func close() throws {
        // SAFETY: all sessions have ended. The ticker has ended once `stop` returns or throws.
        defer {
            unsafe rocksdb_column_family_handle_destroy(family)
            unsafe rocksdb_optimistictransactiondb_close_base_db(database)
            unsafe rocksdb_optimistictransactiondb_close(transactions)
        }
        try ticker?.stop()
        if hasLoaded.load(ordering: .relaxed) { try drain() }
    }

    /// Flushes relaxed commits, and waits for running writes and compactions; memtables stay in
    /// memory.
    func rest() throws {
        if !setup.isDurable { try unsafe Self.flushLog(Handle(database)) }
        try awaitBackground()
    }

    /// Writes out the memtables, and waits until nothing is left to compact.
    func drain() throws {
        let options = unsafe rocksdb_flushoptions_create()
        // SAFETY: the database is open; the options are destroyed after their last use.
        defer { unsafe rocksdb_flushoptions_destroy(options) }
        try unsafe RocksDB.call("flush") { unsafe rocksdb_flush(database, options, &$0) }
        try awaitBackground()
    }

    /// Waits for background work; throws if there still is some after a quarter of an hour.
    private func awaitBackground() throws {
        let signs = [
            "rocksdb.mem-table-flush-pending", "rocksdb.num-running-flushes",
            "rocksdb.compaction-pending", "rocksdb.num-running-compactions",
        ]
        for _ in 0..<900_000 {
            guard signs.contains(where: { property($0) != 0 }) else { return }
            Foundation.Thread.sleep(forTimeInterval: 0.001)
        }
        throw BenchError(.store, "RocksDB: it does not come to rest")
    }

    private func property(_ name: String) -> Int? {
        var number: UInt64 = 0
        // SAFETY: the database is open, and the name lives across the call.
        let code = unsafe rocksdb_property_int(database, name, &number)
        return code == 0 ? Int(number) : nil
    }

    /// The library's version, read from the file in which the library saves its options, because no
    /// call of the C interface returns it.
    private func version() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: setup.folder)
        guard let name = names.filter({ $0.hasPrefix("OPTIONS-") }).max() else { return "unknown" }
        let text = try String(contentsOfFile: setup.file(name), encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.contains("rocksdb_version=") }
        return line?.split(separator: "=").last.map(String.init) ?? "unknown"
    }
}

/// A handle that can be passed to another thread, which RocksDB allows.
@safe struct Handle: @unchecked Sendable {
    let address: OpaquePointer

    init(_ address: OpaquePointer) {
        unsafe self.address = address
    }
}
