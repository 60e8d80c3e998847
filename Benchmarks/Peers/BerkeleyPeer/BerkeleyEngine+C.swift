internal import BullaBenchKit
internal import BullaPeer
internal import CBerkeleyDB
internal import Glibc

/// Berkeley DB: a B-tree in an environment with transactions, as its guide recommends.
///
/// Reads of many records take a snapshot, for which the database keeps versions of its pages. A
/// single read needs no transaction.
@safe final class BerkeleyEngine: Engine, @unchecked Sendable {
    /// Large enough that values of one or two kilobytes are stored in the leaves.
    private static let pageByteCount: UInt32 = 8_192

    let environment: BerkeleyEnvironment
    let database: UnsafeMutablePointer<DB>
    private let ticker: Ticker
    private let setup: EngineSetup

    /// Opens the store; makes it if it does not exist.
    init(_ setup: EngineSetup) throws {
        let environment: BerkeleyEnvironment
        // SAFETY: the handle lives until `close`, after which the engine is not used.
        (environment, unsafe database) = try unsafe FolderLock.holding(setup.folder) {
            let environment = try BerkeleyEnvironment(setup)
            do {
                return unsafe (environment, try Self.openDatabase(environment, setup))
            } catch {
                try environment.close()
                throw error
            }
        }
        self.environment = environment
        self.setup = setup
        ticker = Ticker { try environment.tick() }
    }

    var folder: String { setup.folder }

    var facts: EngineFacts {
        get throws {
            EngineFacts(
                engine: Berkeley.version, isEncrypted: setup.key != nil,
                configuration: "pages 8 KiB, snapshots for reads of many (DB_MULTIVERSION), "
                    + "loads one at a time, "
                    + BerkeleyEnvironment.text(setup),
                liveByteCount: try liveByteCount(),
                transientFiles: [FolderLock.fileName, "__db.register"]
                    + (1...9).map { "__db.00\($0)" })
        }
    }

    var counters: EngineCounters { get throws { try environment.counters() } }

    func session() throws -> any EngineSession {
        BerkeleySession(self)
    }

    /// Does now what the ticker would otherwise do while another engine is measured.
    func rest() throws { try environment.tick() }

    func drain() throws { try environment.drain() }

    func close() throws {
        let ticking = Result { try ticker.stop() }
        // SAFETY: sessions have ended, and the handle is not used after this.
        try FolderLock.holding(setup.folder) {
            let closing = unsafe database.pointee.close(database, 0)
            try environment.close()
            try Berkeley.check(closing, "close the database")
        }
        try ticking.get()
    }

    private func liveByteCount() throws -> Int? {
        var address: UnsafeMutableRawPointer?
        // SAFETY: the call allocates the statistics of a tree, which are freed here once they have
        // been read.
        try unsafe Berkeley.check(
            database.pointee.stat(database, nil, &address, UInt32(DB_FAST_STAT)), "count pages")
        defer { unsafe free(address) }
        return unsafe address.map { address in
            let statistics = unsafe address.assumingMemoryBound(to: DB_BTREE_STAT.self).pointee
            return Int(statistics.bt_pagecnt) * Int(statistics.bt_pagesize)
        }
    }

    private static func openDatabase(
        _ environment: BerkeleyEnvironment, _ setup: EngineSetup
    ) throws -> UnsafeMutablePointer<DB> {
        var handle: UnsafeMutablePointer<DB>?
        // SAFETY: the environment is open; a handle that fails to open is closed here.
        try unsafe Berkeley.check(db_create(&handle, environment.handle, 0), "create a handle")
        guard let database = unsafe handle else {
            throw BenchError(.store, "Berkeley DB: no handle")
        }
        do {
            try unsafe Berkeley.check(
                database.pointee.set_pagesize(database, pageByteCount), "size pages")
            if setup.key != nil {
                try unsafe Berkeley.check(
                    database.pointee.set_flags(database, UInt32(DB_ENCRYPT)), "encrypt")
            }
            let flags = DB_CREATE | DB_AUTO_COMMIT | DB_THREAD | DB_MULTIVERSION
            try unsafe Berkeley.check(
                database.pointee.open(
                    database, nil, "records.db", nil, DB_BTREE, UInt32(flags), 0o600),
                "open records.db")
        } catch {
            _ = unsafe database.pointee.close(database, 0)
            throw error
        }
        return unsafe database
    }
}
