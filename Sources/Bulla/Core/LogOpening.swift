internal import BullaMemory
internal import Synchronization

/// Opens the log of a store.
struct LogOpening {
    let core: StoreCore

    /// Recovers the log in the only process that has the store open, once the newest checkpoint is
    /// known.
    ///
    /// - Throws: `corrupted` for a log that ends too early; `io`; `outOfMemory`.
    func begin(in world: World) throws(BullaError) {
        try open { parts, start, memtables throws(BullaError) in
            try SharedLog.begin(parts, in: world, start, memtables, options, locks)
        }
    }

    /// Joins the processes that have the store open, and follows the store's log.
    ///
    /// - Throws: as ``begin(in:)``.
    func join(in world: World) throws(BullaError) {
        try open { parts, start, memtables throws(BullaError) in
            try SharedLog.join(parts, in: world, start, memtables, options, locks)
        }
    }

    private var locks: SharedLog.Locks {
        SharedLog.Locks(writer: core.writerLock, flush: core.metaWriter.lock)
    }

    private var options: SharedLog.Options {
        var options = SharedLog.Options()
        options.timeout = core.options.lockTimeout
        return options
    }

    private func open(
        _ takePart: (LogParts, StoreLogStart, LogMemtables) throws(BullaError) -> SharedLog
    ) throws(BullaError) {
        let record = try core.board.checkpoint()
        let (parts, position) = (try LogParts(core.parts, record), LogPosition(record))
        let start = StoreLogStart(
            core.board, core.metaWriter.metas, core.trees.treeLock,
            timeout: core.options.lockTimeout)
        let memtables = try LogMemtables(core.parts.header.format, parts.log, at: position)
        let shared = try takePart(parts, start, memtables)
        parts.log.readShortPieces(through: core.pager)
        core.log.begin(StoreLog(shared, memtables))
        if shared.isUnflushed { core.recovery.noteUnflushed(memtables.newestCommit) }
        var newest = record
        newest.commit = memtables.newestCommit
        try core.options.anchor?.check(newest, of: core.parts.header, path: core.parts.path)
    }
}
