internal import BullaMemory

extension WriteTransaction {
    /// Merges changes into a tree.
    ///
    /// The transaction must not have changed the tree otherwise, and no savepoint may be open. The
    /// merged pages are written before the transaction ends.
    ///
    /// - Parameter changes: a cursor on the first of the changes.
    package mutating func merge(
        _ changes: MemtableCursor, into tree: Tree
    ) throws(BullaError) {
        _ = try access.root(tree)
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, into: tree.index) }
    }

    /// Merges all changes of memtables into the trees, in a transaction that has changed nothing
    /// yet.
    ///
    /// - Parameter nextTree: the number that the next new tree gets according to the memtables.
    package mutating func merge(
        _ changes: MemtablePair, nextTree: UInt64
    ) throws(BullaError) {
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, nextTree: nextTree) }
    }
}
