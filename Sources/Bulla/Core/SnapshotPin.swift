internal import BullaMemory

/// What a new snapshot stands on, until its trees are unpinned.
struct SnapshotPin: ~Copyable {
    /// The trees of a checkpoint.
    let trees: PinnedCommit
    /// The number that the next new tree gets, according to these trees.
    let nextTree: UInt64
    /// What the log says over them.
    let view: LogView
}

/// What a new transaction stands on, likewise.
struct ChangesPin: ~Copyable {
    let trees: PinnedCommit
    let nextTree: UInt64
    /// What the log says over them, to be changed.
    let edit: LogEdit
}
