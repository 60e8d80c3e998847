/// A tree, as one snapshot or one write transaction sees it.
///
/// A plain value, of use only with the transaction that gave it: another refuses it with `invalidArgument`.
public struct Tree: Sendable, Hashable {
    /// Of a snapshot's tree; a write transaction looks its own up.
    let root: TreeRoot
    /// Of a write transaction's tree.
    let index: Int
    let commit: UInt64
}
