/// A commit that stays readable until the caller unpins its line in ``ReaderSlots``.
struct PinnedCommit: Sendable {
    let line: Int
    let commit: UInt64
    let catalog: TreeRoot
}
