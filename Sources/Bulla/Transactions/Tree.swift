/// A tree, as one snapshot or one write transaction sees it.
///
/// A plain value, of use only with the snapshot or the transaction that gave it, and with snapshots
/// of the same commit over the same checkpoint: others refuse it with `invalidArgument`.
public struct Tree: Sendable, Hashable {
    /// Names the tree in its store for ever: it stays when the tree is renamed, goes over into
    /// copies, and is never given to another tree, also when this one is dropped.
    public let number: Int
    /// Of a snapshot's tree; a write transaction looks its own up.
    let root: TreeRoot
    /// Of a write transaction's tree.
    let index: Int
    /// Where it may be used: two snapshots of one commit, over the same pages, see the same tree.
    let scope: Scope

    init(root: TreeRoot, scope: Scope) {
        (self.root, self.index, self.scope) = (root, 0, scope)
        number = Int(clamping: root.number)
    }

    /// - Parameters:
    ///   - changed: the tree's root as the transaction has it by now.
    init(changed: TreeRoot, index: Int, scope: Scope) {
        (self.root, self.index, self.scope) = (.empty, index, scope)
        number = Int(clamping: changed.number)
    }

    struct Scope: Hashable, Sendable {
        let store: ObjectIdentifier
        let commit: UInt64
        /// The commit that has the root's pages, which is a checkpoint.
        let checkpoint: UInt64
        /// The write transaction; 0 for a snapshot.
        let turn: UInt64
    }
}
