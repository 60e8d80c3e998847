internal import BullaMemory

extension WriteTransaction {
    /// Merges changes into a tree that this transaction has not changed otherwise, outside of any
    /// savepoint: at once, and written before the transaction ends.
    ///
    /// - Parameter changes: stands on the first of them.
    package mutating func merge(
        _ changes: some SortedChanges, into tree: Tree
    ) throws(BullaError) {
        _ = try access.root(tree)
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, into: tree.index) }
    }

    /// Merges all that the log says into the trees, in a transaction that has changed nothing yet.
    ///
    /// - Parameter nextTree: the number that the next new tree gets, as far as the log says.
    package mutating func merge(
        _ changes: MemtablePair, nextTree: UInt64
    ) throws(BullaError) {
        let merge = LogMerge(change: try turn.directChange())
        try turn.change { _ throws(BullaError) in try merge.merge(changes, nextTree: nextTree) }
    }
}
