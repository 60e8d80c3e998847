/// The log.
extension Store {
    /// Takes over into the trees what the log says; nothing that a reader can see changes.
    ///
    /// Nobody has to call it: a checkpoint is made when a half of the log is full, when nobody
    /// writes any more, and at the last close. It is of use before a moment in which commits must
    /// not wait for the disk. Others commit meanwhile. One call takes over one half of the log
    /// where both have something: until it returns `false`, there is more.
    ///
    /// - Returns: whether there was anything to take over.
    /// - Throws: `busy` inside a write of one's own, and where somebody else changes the trees, or
    ///   flushes, for the whole of ``StoreOptions/lockTimeout``; `notYetDurable` where the log is
    ///   not flushed by then; `full`, `io`, `outOfMemory`, `poisoned`, `corrupted`,
    ///   `replaced`, `readOnly`, `closed`, `usedAfterFork`. Nothing has changed then, and the log
    ///   says it still; but after `busy`, `io` and `poisoned` the checkpoint may stand already.
    /// - Complexity: O(c log n) for c changes in the log; each leaf is written once, however often
    ///   it was changed.
    @discardableResult
    public func checkpoint() throws(BullaError) -> Bool {
        try core.entrance.use { () throws(BullaError) in
            try core.writerLock.checkTurn("make a checkpoint of")
            return try StoreCheckpoint(core: core).makeAside()
        }
    }

    /// Does the same off the threads that tasks share.
    @discardableResult
    public func checkpoint() async throws(BullaError) -> Bool {
        try core.writerLock.checkTurn("make a checkpoint of")
        return try await core.queues.checkpointing.run { [core] () throws(BullaError) in
            try core.entrance.use { () throws(BullaError) in
                try StoreCheckpoint(core: core).makeAside()
            }
        }
    }

    /// Limits how many bytes the log may have, in both its halves, for all that use the store and
    /// for good.
    ///
    /// It grows to there where commits come faster than they are taken over. A log that is longer
    /// already stays as long as it is;
    /// `compact` writes a store with a short one.
    ///
    /// - Parameter byteCount: one of ``StoreOptions/logByteLimits``.
    /// - Throws: `invalidArgument`; `busy` inside a write of one's own, and where somebody else
    ///   changes the trees, or flushes, for the whole of ``StoreOptions/lockTimeout``; `readOnly`,
    ///   `poisoned`, `io`, `corrupted`, `replaced`, `closed`, `usedAfterFork`. After `busy`,
    ///   `poisoned` and `io` the limit may stand already; setting it again does no harm.
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

    /// Makes a snapshot of the newest checkpoint under other memtables than the log's.
    ///
    /// - Parameters:
    ///   - changes: the caller holds their versions as long as the snapshot and its cursors live.
    ///   - reportTombstones: told when a scan or a cursor has passed thousands of tombstones in a
    ///     row.
    package func makeSnapshot(
        under changes: MemtablePair,
        reportTombstones: (@Sendable () -> Void)? = nil
    ) throws(BullaError) -> Snapshot {
        let nextTree = try core.board.checkpoint().nextTree
        return try Snapshot(
            core, under: changes, nextTree: nextTree, reportTombstones: reportTombstones)
    }
}
