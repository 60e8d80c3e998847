internal import BullaMemory

/// What a new snapshot reads; valid until `trees` is unpinned.
struct SnapshotPin: ~Copyable {
    /// The trees of a checkpoint.
    let trees: PinnedCommit
    /// The commit that the snapshot sees: the trees' commit, or a later one from the log.
    let commit: UInt64
    /// The changes that the log has and the trees lack; `nil` if there are none.
    let overlay: Overlay?
}

/// What a new write transaction builds on; valid until `trees` is unpinned.
struct ChangesPin: ~Copyable {
    let trees: PinnedCommit
    let nextTree: UInt64
    /// Collects the transaction's changes, on top of those that the log has and the trees lack.
    let edit: LogEdit
}
