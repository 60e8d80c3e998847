/// A tree, as one snapshot or one write transaction sees it.
///
/// A plain value, of use only with the transaction that gave it: another refuses it with
/// `invalidArgument`.
public struct Tree: Sendable, Hashable {
    /// Of a snapshot's tree; a write transaction looks its own up.
    let root: TreeRoot
    /// Of a write transaction's tree.
    let index: Int
    /// Where it may be used: two snapshots of one commit see the same tree.
    let scope: Scope

    struct Scope: Hashable, Sendable {
        let store: ObjectIdentifier
        let commit: UInt64
        /// The write transaction; 0 for a snapshot.
        let turn: UInt64
    }
}
