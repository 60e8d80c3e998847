/// The store as of one commit, whatever is written meanwhile.
///
/// It may be held as long as it is needed, handed to another task, and read from several at once.
/// The pages that it can see stay in the file until it ends, so one that is held for long makes the
/// file grow.
public struct Snapshot: ~Copyable, Sendable, TreeReader {
    let access: TreeAccess

    init(_ core: StoreCore, _ visibility: Visibility) throws(BullaError) {
        access = TreeAccess(core, try core.pin(visibility))
    }

    /// The commit that it sees.
    public var commit: UInt64 { access.commit }

    /// A cursor over a tree, standing nowhere yet: its first step leads to an end of the tree.
    ///
    /// It keeps the snapshot's pages as long as it lives.
    public func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        Cursor(access, try access.root(tree))
    }
}
