/// A commit that stays readable until its line is unpinned.
struct PinnedCommit: Sendable {
    let line: Int
    let commit: UInt64
    let catalog: TreeRoot
}
