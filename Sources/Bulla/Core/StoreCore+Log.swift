internal import BullaMemory
internal import Synchronization

/// The log of a store.
extension StoreCore {
    /// Recovers the log, as the only opener, once the newest checkpoint is known.
    ///
    /// - Throws: `corrupted` for a log that ends before it must; `io`; `outOfMemory`.
    func beginLog(in world: World) throws(BullaError) {
        try openLog { parts, start, memtables throws(BullaError) in
            try SharedLog.begin(
                parts, in: world, start, memtables, logOptions, locks)
        }
    }

    /// Joins those that have the store open in following its log.
    ///
    /// - Throws: as ``beginLog(in:)``.
    func joinLog(in world: World) throws(BullaError) {
        try openLog { parts, start, memtables throws(BullaError) in
            try SharedLog.join(
                parts, in: world, start, memtables, logOptions, locks)
        }
    }

    /// The log, of a store that is open.
    func demandLog() throws(BullaError) -> StoreLog {
        if let log { return log }
        throw closed()
    }

    private var locks: SharedLog.Locks {
        SharedLog.Locks(writer: writerLock, flush: flusher.lock)
    }

    private var logOptions: SharedLog.Options {
        var options = SharedLog.Options()
        options.timeout = self.options.lockTimeout
        return options
    }

    private func openLog(
        _ open: (LogParts, StoreLogStart, LogMemtables) throws(BullaError) -> SharedLog
    ) throws(BullaError) {
        let record = try board.checkpoint()
        let (logParts, position) = (try LogParts(parts, record), LogPosition(record))
        let start = StoreLogStart(
            board, flusher.metas, treeLock, timeout: options.lockTimeout)
        let memtables = try LogMemtables(parts.header.format, logParts.log, at: position)
        let shared = try open(logParts, start, memtables)
        begin(StoreLog(shared, memtables))
        if shared.isUnflushed {
            isUnflushed.store(true, ordering: .releasing)
            noteRecovery(
                of: memtables.newestCommit,
                "the log was verified, but is durable only when somebody opens it to write")
        }
        var newest = record
        newest.commit = memtables.newestCommit
        try checkAnchor(newest)
    }
}
