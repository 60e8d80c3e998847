/// Which savepoints a change of the trees has, and what is kept for them.
struct Savepoints {
    /// How many there have been.
    var count: UInt64 = 0
    /// The innermost that has not ended; 0 where there is none.
    var innermost: UInt64 = 0
    /// Changed pages that nothing refers to any more but what a savepoint may put back.
    var superseded: [Int] = []

    /// Whether one has not ended.
    var isAnyOpen: Bool { innermost != 0 }

    /// Whether the page belongs to what a savepoint may have to put back.
    func hasFrozen(_ page: DirtyPage) -> Bool { page.madeAfter < innermost }
}
