internal import BullaBenchKit
internal import BullaPeer
internal import CBerkeleyDB
internal import Glibc

/// A Berkeley DB environment with transactions.
///
/// If only one process uses the environment, that process keeps the regions in its own memory. If
/// several do, they share the regions in files next to the data, and register themselves, so that
/// after a crash only the first process that opens the environment recovers it.
@safe final class BerkeleyEnvironment: @unchecked Sendable {
    let handle: UnsafeMutablePointer<DB_ENV>
    private let setup: EngineSetup

    /// Opens the environment in the store's folder; makes it if it does not exist.
    init(_ setup: EngineSetup) throws {
        self.setup = setup
        unsafe handle = try Self.make()
        do {
            try unsafe Self.encrypt(handle, setup.key)
            try size()
            try setCommits()
            try open()
        } catch {
            // SAFETY: closing also frees a handle that was not opened.
            _ = unsafe handle.pointee.close(handle, 0)
            throw error
        }
    }

    static func text(_ setup: EngineSetup) -> String {
        let sharing =
            setup.workerCount == 1
            ? "one process (DB_PRIVATE)"
            : "shared regions (DB_REGISTER), whose files hold the cache in plain"
        let cipher =
            setup.key == nil
            ? "" : ", AES-128-CBC and HMAC-SHA1 (DB_ENCRYPT_AES), password: the key in hexadecimal"
        return "\(sharing), one handle for all threads (DB_THREAD), checkpoints by 64 MiB of log "
            + "(buffer 2 MiB)\(cipher), log flushed by every commit; relaxed: DB_TXN_WRITE_NOSYNC "
            + "and a flush each second"
    }

    /// Does what is due from time to time: checkpoints, and flushes of relaxed commits.
    func tick() throws {
        // SAFETY: the environment is open, and every thread may use it.
        if !setup.isDurable {
            try unsafe Berkeley.check(handle.pointee.log_flush(handle, nil), "flush the log")
        }
        try unsafe Berkeley.check(
            handle.pointee.txn_checkpoint(handle, 64 << 10, 1, 0), "checkpoint")
    }

    /// Writes to the data files what only the log and the cache hold.
    func drain() throws {
        // SAFETY: the environment is open, and every thread may use it.
        try unsafe Berkeley.check(
            handle.pointee.txn_checkpoint(handle, 0, 0, UInt32(DB_FORCE)), "checkpoint")
    }

    /// Commits and flushes of all processes.
    func counters() throws -> EngineCounters {
        var transactions: UnsafeMutablePointer<DB_TXN_STAT>?
        var log: UnsafeMutablePointer<DB_LOG_STAT>?
        // SAFETY: the library leaves both for the caller to free, which happens once they have been
        // read.
        defer {
            unsafe free(transactions)
            unsafe free(log)
        }
        try unsafe Berkeley.check(
            handle.pointee.txn_stat(handle, &transactions, 0), "count transactions")
        try unsafe Berkeley.check(handle.pointee.log_stat(handle, &log, 0), "count flushes")
        return unsafe EngineCounters(
            commits: (transactions?.pointee.st_ncommits).map(UInt64.init),
            flushes: (log?.pointee.st_scount).map(UInt64.init),
            byteCountWritten: EngineCounters.writtenByProcess)
    }

    /// Writes everything to the files and closes, so that the data and the log are the whole store.
    func close() throws {
        // SAFETY: the databases are closed, and the handle is not used after this.
        let checkpoint = unsafe handle.pointee.txn_checkpoint(handle, 0, 0, UInt32(DB_FORCE))
        let cleaning = unsafe handle.pointee.log_archive(handle, nil, UInt32(DB_ARCH_REMOVE))
        try unsafe Berkeley.check(handle.pointee.close(handle, 0), "close the environment")
        try Berkeley.check(checkpoint, "checkpoint")
        try Berkeley.check(cleaning, "remove the log's old files")
        if setup.workerCount > 1 { try removeRegions() }
    }

    /// Removes the shared regions, which hold the cache, unless other processes still use them.
    private func removeRegions() throws {
        let handle = unsafe try Self.make()
        try unsafe Self.encrypt(handle, setup.key)
        // SAFETY: the call needs a handle of its own, and frees that handle even if it fails.
        let code = unsafe handle.pointee.remove(handle, setup.folder, 0)
        guard code != EBUSY else { return }
        try Berkeley.check(code, "remove the regions")
    }

    private static func make() throws -> UnsafeMutablePointer<DB_ENV> {
        var handle: UnsafeMutablePointer<DB_ENV>?
        // SAFETY: the handle is the caller's.
        try unsafe Berkeley.check(db_env_create(&handle, 0), "create an environment")
        guard let handle = unsafe handle else {
            throw BenchError(.store, "Berkeley DB: no environment")
        }
        return unsafe handle
    }

    private static func encrypt(
        _ handle: UnsafeMutablePointer<DB_ENV>, _ password: String?
    ) throws {
        guard let password else { return }
        // SAFETY: the handle is new, and the library copies the password.
        try unsafe Berkeley.check(
            handle.pointee.set_encrypt(handle, password, UInt32(DB_ENCRYPT_AES)),
            "set the password")
    }

    /// Makes room for the cache, and for the locks of commits that change a different page for
    /// every record.
    private func size() throws {
        let cache = setup.cacheByteLimit
        let locks = UInt32((64 << 10) * max(setup.laneCount, 1))
        // SAFETY: the handle is new.
        try unsafe Berkeley.check(
            handle.pointee.set_cachesize(
                handle, UInt32(cache >> 30), UInt32(cache & ((1 << 30) - 1)), 1), "size the cache")
        try unsafe Berkeley.check(handle.pointee.set_lk_max_locks(handle, locks), "size locks")
        try unsafe Berkeley.check(handle.pointee.set_lk_max_objects(handle, locks), "size locks")
        // Each version of a page takes a mutex, and so does each lock that a transaction waits for:
        // together more mutexes than the library has by default.
        try unsafe Berkeley.check(
            handle.pointee.mutex_set_increment(handle, UInt32(100_000 + (cache >> 12))),
            "size mutexes")
        try unsafe Berkeley.check(
            handle.pointee.set_tx_max(handle, UInt32(100 + 4 * setup.laneCount)),
            "size transactions")
        // The buffer may be at most a quarter of a log file's size, which is 10 MB by default.
        try unsafe Berkeley.check(handle.pointee.set_lg_bsize(handle, 2 << 20), "size the log")
    }

    /// Makes Berkeley DB resolve deadlocks so that one of several large commits always succeeds:
    /// the transaction that has written less starts again.
    private func setCommits() throws {
        // SAFETY: the handle is new.
        try unsafe Berkeley.check(
            handle.pointee.set_lk_detect(handle, UInt32(DB_LOCK_MINWRITE)), "detect deadlocks")
        try unsafe Berkeley.check(
            handle.pointee.log_set_config(handle, UInt32(DB_LOG_AUTO_REMOVE), 1),
            "remove old logs")
        guard !setup.isDurable else { return }
        try unsafe Berkeley.check(
            handle.pointee.set_flags(handle, UInt32(DB_TXN_WRITE_NOSYNC), 1), "relax commits")
    }

    private func open() throws {
        let sharing = setup.workerCount == 1 ? DB_PRIVATE : DB_REGISTER
        let flags =
            DB_CREATE | DB_INIT_TXN | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_MPOOL | DB_THREAD
            | DB_RECOVER | sharing
        // SAFETY: the handle is set up, and the path lives across the call.
        try unsafe Berkeley.check(
            handle.pointee.open(handle, setup.folder, UInt32(flags), 0o600),
            "open \(setup.folder)")
    }
}
