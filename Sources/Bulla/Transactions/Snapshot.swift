/// The store as of one commit, which later writes do not change.
///
/// A snapshot can be held as long as necessary, passed to another task, and read by several tasks
/// at once. The pages that it can see stay in the file until it ends, so a snapshot that is held
/// for long makes the file grow.
///
/// In an encrypted store, a writer can end a snapshot early if the writer's options allow that
/// (``StoreOptions/snapshotCommitLimit``). Reading a page that is gone then throws
/// `snapshotExpired`.
public struct Snapshot: ~Copyable, Sendable, TreeReader {
    let access: TreeAccess

    init(_ core: StoreCore, _ visibility: SnapshotVisibility) throws(BullaError) {
        access = try TreeAccess(underLogOf: core, visibility)
    }

    /// Makes a snapshot that sees the newest checkpoint with the caller's memtables over it,
    /// instead of the log's.
    ///
    /// - Parameters:
    ///   - changes: the memtables. The caller must hold their versions as long as the snapshot and
    ///     its cursors live.
    ///   - nextTree: the number that the checkpoint's catalog would give to the next new tree.
    ///   - reportTombstones: called when a scan or a cursor has passed thousands of tombstones
    ///     (deleted keys) in a row.
    init(
        _ core: StoreCore, under changes: MemtablePair, nextTree: UInt64,
        reportTombstones: (@Sendable () -> Void)?
    ) throws(BullaError) {
        let overlay = Overlay(
            changes, nextStoredTree: nextTree, reportTombstones: reportTombstones)
        access = TreeAccess(core, try Pinning(core: core).pin(), under: overlay)
    }

    /// The number of the commit that the snapshot sees.
    public var commit: UInt64 { access.commit }

    /// A cursor over a tree; it stands on no entry yet, and its first step leads to an end of the
    /// tree.
    ///
    /// It keeps the snapshot's pages in the file as long as it lives.
    ///
    /// - Throws: `invalidArgument` for a tree of another snapshot or transaction; `closed`,
    ///   `usedAfterFork`.
    public func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        try access.makeCursor(in: tree)
    }
}
