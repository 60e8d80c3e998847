internal import BullaMemory

/// What a new snapshot stands on, until its trees are unpinned.
struct SnapshotPin: ~Copyable {
    /// Trees of a checkpoint.
    let trees: PinnedCommit
    /// What it sees: of these trees, or a later one that the log has.
    let commit: UInt64
    /// What the log says over the trees; `nil` where it says nothing that they lack.
    let overlay: Overlay?
}

/// What a new transaction stands on, likewise.
struct ChangesPin: ~Copyable {
    let trees: PinnedCommit
    let nextTree: UInt64
    /// What the log says over them, to be changed.
    let edit: LogEdit
}
