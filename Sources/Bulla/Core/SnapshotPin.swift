internal import BullaMemory

/// What a new snapshot stands on, until its trees are unpinned.
struct SnapshotPin: ~Copyable {
    /// The trees of a checkpoint.
    let trees: PinnedCommit
    /// The commit that the snapshot sees: that of the trees, or a later one from the log.
    let commit: UInt64
    /// What the log says over the trees; `nil` if the trees have all of it.
    let overlay: Overlay?
}

/// What a new transaction stands on, likewise.
struct ChangesPin: ~Copyable {
    let trees: PinnedCommit
    let nextTree: UInt64
    /// What the log says over them, to be changed.
    let edit: LogEdit
}
