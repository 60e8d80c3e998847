internal import BullaMemory

extension WriteTransaction {
    /// Merges sorted changes into a tree.
    ///
    /// The transaction must not change the tree in any other way, and no savepoint may be open. The
    /// merged pages are written before the transaction ends.
    ///
    /// - Parameter changes: a cursor that stands on the first change.
    package mutating func merge(
        _ changes: some SortedChanges, into tree: Tree
    ) throws(BullaError) {
        _ = try access.root(tree)
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, into: tree.index) }
    }

    /// Merges all changes of memtables into the trees.
    ///
    /// The transaction must not have changed anything yet.
    ///
    /// - Parameter nextTree: the number that the memtables would give to the next new tree.
    package mutating func merge(
        _ changes: MemtablePair, nextTree: UInt64
    ) throws(BullaError) {
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, nextTree: nextTree) }
    }
}
