/// What a new snapshot of a store with a log stands on, until its trees are unpinned.
struct SnapshotPin: ~Copyable {
    /// Trees of a checkpoint.
    let trees: PinnedCommit
    /// The number that these trees would give to the next new one.
    let nextTree: UInt64
    /// What the log says over them.
    let view: LogView
}
