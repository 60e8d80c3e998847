/// A handle to a tree, as one snapshot or one write transaction sees it.
///
/// It is a plain value. Use it only with the snapshot or the transaction that returned it, or with
/// a snapshot of the same commit over the same checkpoint; others refuse it with `invalidArgument`.
public struct Tree: Sendable, Hashable {
    /// The tree's permanent number in its store.
    ///
    /// A tree keeps its number when it is renamed, and in copies of the store. No other tree ever
    /// gets the number, even after the tree is dropped.
    public let number: Int
    /// The root, in the handle of a snapshot; a write transaction looks up the root by ``index``.
    let root: TreeRoot
    /// The index among the transaction's open trees; 0 in the handle of a snapshot.
    let index: Int
    /// The snapshots or the transaction that accept the handle: two snapshots of one commit over
    /// the same checkpoint accept each other's handles.
    let scope: Scope

    init(root: TreeRoot, scope: Scope) {
        (self.root, self.index, self.scope) = (root, 0, scope)
        number = Int(clamping: root.number)
    }

    /// - Parameters:
    ///   - changed: the tree's current root in the transaction; the handle takes only its number.
    init(changed: TreeRoot, index: Int, scope: Scope) {
        (self.root, self.index, self.scope) = (.empty, index, scope)
        number = Int(clamping: changed.number)
    }

    struct Scope: Hashable, Sendable {
        let store: ObjectIdentifier
        let commit: UInt64
        /// The checkpoint to which the tree's pages belong.
        let checkpoint: UInt64
        /// The number of the write transaction; 0 for a snapshot.
        let turn: UInt64

        /// The error for the use of another scope's tree in this scope.
        @inline(never)
        func refusal(of tree: Tree, _ path: String) -> BullaError {
            let other = tree.scope
            // Two snapshots of one commit read different pages if a checkpoint was made between
            // them.
            let isCheckpoint = other.commit == commit && other.checkpoint != checkpoint
            let theirs = isCheckpoint ? ", over checkpoint \(other.checkpoint)" : ""
            let own = isCheckpoint ? ", over checkpoint \(checkpoint)" : ""
            return BullaError(
                .invalidArgument,
                "use a tree of \(path): it was opened in another transaction (commit "
                    + "\(other.commit)\(theirs)), this one is of commit \(commit)\(own); open it "
                    + "by its name in this one")
        }
    }
}
