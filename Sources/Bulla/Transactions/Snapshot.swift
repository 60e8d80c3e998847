/// The store as of one commit, which later writes do not change.
///
/// A snapshot can be held as long as necessary, passed to another task, and read by several tasks
/// at once. The pages that it can see stay in the file until it ends, so a snapshot that is held
/// for long makes the file grow.
///
/// In an encrypted store, a writer can end a snapshot early if the writer's options allow that
/// (``StoreOptions/snapshotCommitLimit``). After that, reading a page that is gone throws
/// `snapshotExpired`.
public struct Snapshot: ~Copyable, Sendable, TreeReader {
    private(set) var access: TreeAccess

    init(_ core: StoreCore, _ visibility: SnapshotVisibility) throws(BullaError) {
        access = try TreeAccess(underLogOf: core, visibility)
    }

    /// Makes a snapshot that sees the caller's memtables, instead of the log's, over the newest
    /// checkpoint.
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

    /// Moves the snapshot to the commit that a new snapshot would see.
    ///
    /// This costs less than a new snapshot, especially if nothing was committed since the snapshot
    /// was made or last refreshed: then the call writes no memory and takes no lock. It also makes
    /// an expired snapshot usable again. Cursors stay at the commit for which they were made, and
    /// keep its pages. The snapshot itself keeps its pages until it is refreshed again, so do not
    /// leave it idle for long.
    ///
    /// - Returns: whether the snapshot has moved. If so, open its trees again: handles from before
    ///   throw `invalidArgument`.
    /// - Throws: what `Store.makeSnapshot(visibility:)` throws; then the snapshot stays where it
    ///   was.
    /// - Complexity: constant, without a system call, if nothing was committed since the snapshot
    ///   was made or last refreshed.
    @discardableResult
    public mutating func refresh(
        visibility: SnapshotVisibility = .durable
    ) throws(BullaError) -> Bool {
        if try access.isNewest(visibility) { return false }
        let former = access.scope
        access = try TreeAccess(underLogOf: access.core, visibility)
        return access.scope != former
    }

    /// A cursor over a tree; it stands on no entry yet, and its first step leads to the tree's
    /// first entry or, backwards, to the last.
    ///
    /// It keeps the snapshot's pages in the file as long as it lives.
    ///
    /// - Throws: `invalidArgument` for a tree of another snapshot or transaction; `closed`,
    ///   `usedAfterFork`.
    public func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        try access.makeCursor(in: tree)
    }
}
