/// Checkpoints, and the length of the log.
extension Store {
    /// Makes a checkpoint: merges the changes in the log into the trees.
    ///
    /// Nothing changes for readers.
    ///
    /// Programs need not call this: a checkpoint happens when a half of the log is full, when no
    /// process has written for a while, and when the last process closes the store. Call it before
    /// a period in which commits must not wait for the disk. During the call, other threads and
    /// processes can commit. If both halves of the log hold changes, one call merges one of them,
    /// so call it until it returns `false`.
    ///
    /// - Returns: whether there was anything to merge.
    /// - Throws: `busy` inside a write of the same thread or task, and if another thread or process
    ///   changes the trees, or flushes, for the whole of ``StoreOptions/lockTimeout``;
    ///   `notYetDurable` if the log is not flushed within that time; `full`, `io`, `outOfMemory`,
    ///   `poisoned`, `corrupted`, `replaced`, `readOnly`, `closed`, `usedAfterFork`. No error loses
    ///   a change: each change is still in the log or, after `busy`, `io` and `poisoned`, perhaps
    ///   already in a new checkpoint.
    /// - Complexity: O(c log n) for c changes in the log and n entries; each leaf is written once,
    ///   however often it was changed.
    @discardableResult
    public func checkpoint() throws(BullaError) -> Bool {
        try core.entrance.use { () throws(BullaError) in
            try core.writerLock.checkTurn("make a checkpoint of")
            return try StoreCheckpoint(core: core).makeAside()
        }
    }

    /// Makes a checkpoint without blocking the threads that tasks share.
    ///
    /// - Returns: whether there was anything to merge.
    @discardableResult
    public func checkpoint() async throws(BullaError) -> Bool {
        try core.writerLock.checkTurn("make a checkpoint of")
        return try await core.queues.checkpointing.run { [core] () throws(BullaError) in
            try core.entrance.use { () throws(BullaError) in
                try StoreCheckpoint(core: core).makeAside()
            }
        }
    }

    /// Sets a permanent limit on the length of the log, for every process that uses the store.
    ///
    /// The log grows up to the limit if commits come faster than checkpoints. A log that is already
    /// longer keeps its length; `compact` writes a store with a short log.
    ///
    /// - Parameter byteCount: the limit for both halves together, in bytes, within
    ///   ``StoreOptions/logByteLimits``.
    /// - Throws: `invalidArgument`; `busy` inside a write of the same thread or task, and if
    ///   another thread or process changes the trees, or flushes, for the whole of
    ///   ``StoreOptions/lockTimeout``; `readOnly`, `poisoned`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`. After `busy`, `poisoned` and `io` the limit may already be in
    ///   force; setting it again does no harm.
    /// - Complexity: three flushes.
    public func limitLog(toBytes byteCount: Int) throws(BullaError) {
        try StoreOptions.checkLogLimit(byteCount, "limit the log of \(path)")
        try core.entrance.use { () throws(BullaError) in
            let turn = try RecordTurn(core, to: "limit the log of")
            try turn.name(
                logPageLimit: LogExtent.pageLimit(
                    ofBytes: byteCount, core.parts.header.format))
        }
    }

    /// Limits the length of the log without blocking the threads that tasks share.
    public func limitLog(toBytes byteCount: Int) async throws(BullaError) {
        try await core.changeAside("limit the log of") { [self] () throws(BullaError) in
            try limitLog(toBytes: byteCount)
        }
    }

    /// Makes a snapshot that sees the caller's memtables, instead of the log's, over the newest
    /// checkpoint.
    ///
    /// The caller must not refresh it, because a refresh asks only the log's memtables for newer
    /// commits.
    ///
    /// - Parameters:
    ///   - changes: the memtables. The caller must hold their versions as long as the snapshot and
    ///     its cursors live.
    ///   - reportTombstones: called when a scan or a cursor has passed thousands of tombstones
    ///     (deleted keys) in a row.
    package func makeSnapshot(
        under changes: MemtablePair,
        reportTombstones: (@Sendable () -> Void)? = nil
    ) throws(BullaError) -> Snapshot {
        let nextTree = try core.board.checkpoint().nextTree
        return try Snapshot(
            core, under: changes, nextTree: nextTree, reportTombstones: reportTombstones)
    }
}
