internal import BullaMemory

/// What a new snapshot stands on, until its trees are unpinned.
struct SnapshotPin: ~Copyable {
    /// Trees of a checkpoint.
    let trees: PinnedCommit
    /// The number that these trees would give to the next new one.
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
