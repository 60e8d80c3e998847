/// A commit that stays readable until the caller unpins its line: the reader slot that names it.
struct PinnedCommit: Sendable {
    let line: Int
    let commit: UInt64
    let catalog: TreeRoot
}
