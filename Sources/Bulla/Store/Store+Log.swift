/// The log of a store that has one.
extension Store {
    /// Takes over into the trees what the log says; nothing that a reader can see changes.
    ///
    /// - Returns: whether there was anything to take over.
    /// - Throws: `busy` where somebody else changes the trees for the whole timeout; `full`, `io`:
    ///   then nothing has changed, and the log says it still.
    @discardableResult
    package func checkpoint() throws(BullaError) -> Bool {
        try core.use { () throws(BullaError) in try core.checkpoint() }
    }

    /// Makes a snapshot of a store without a log, under memtables all the same.
    ///
    /// - Parameters:
    ///   - changes: the caller holds their versions as long as the snapshot and its cursors live.
    ///   - reportTombstones: told when a scan or a cursor has passed thousands of tombstones in a
    ///     row.
    package func makeSnapshot(
        visibility: Visibility = .durable, under changes: MemtablePair,
        reportTombstones: (@Sendable () -> Void)? = nil
    ) throws(BullaError) -> Snapshot {
        let nextTree = try core.board.record(.published).nextTree
        return try Snapshot(
            core, visibility, under: changes, nextTree: nextTree, reportTombstones: reportTombstones
        )
    }

    /// What commits to the log, and what is known of it; `nil` without a log.
    package var log: (shared: SharedLog, memtables: LogMemtables)? {
        core.log.map { ($0.shared, $0.memtables) }
    }
}
