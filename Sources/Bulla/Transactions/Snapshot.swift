/// The store as of one commit, whatever is written meanwhile.
///
/// It may be held as long as it is needed, handed to another task, and read from several at once.
/// The pages that it can see stay in the file until it ends, so one that is held for long makes the
/// file grow. Of an encrypted store a writer may end it first, where the writer's options say so
/// (``StoreOptions/snapshotCommitLimit``): reading a page that is gone then throws
/// `snapshotExpired`.
public struct Snapshot: ~Copyable, Sendable, TreeReader {
    let access: TreeAccess

    init(_ core: StoreCore, _ visibility: Visibility) throws(BullaError) {
        access = try TreeAccess(underLogOf: core, visibility)
    }

    /// Of the newest checkpoint under other memtables than the log's: the caller holds their
    /// versions for as long as the snapshot and its cursors live.
    ///
    /// - Parameters:
    ///   - nextTree: the number that the catalog beneath would give next.
    ///   - reportTombstones: told when a scan or a cursor has passed thousands of tombstones in a
    ///     row.
    init(
        _ core: StoreCore, under changes: MemtablePair, nextTree: UInt64,
        reportTombstones: (@Sendable () -> Void)?
    ) throws(BullaError) {
        let overlay = Overlay(
            changes, nextStoredTree: nextTree, reportTombstones: reportTombstones)
        access = TreeAccess(core, try Pinning(core: core).pin(), under: overlay)
    }

    /// The commit that it sees.
    public var commit: UInt64 { access.commit }

    /// A cursor over a tree, standing nowhere yet: its first step leads to an end of the tree.
    ///
    /// It keeps the snapshot's pages as long as it lives.
    public func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        try access.makeCursor(in: tree)
    }
}
