/// The savepoints of a change of the trees, and what is kept for them.
struct Savepoints {
    /// How many savepoints have begun.
    var count: UInt64 = 0
    /// The innermost open savepoint; 0 if there is none.
    var innermost: UInt64 = 0
    /// Changed pages that only a rollback to a savepoint can need.
    var superseded: [Int] = []

    /// Whether a savepoint is open.
    var isAnyOpen: Bool { innermost != 0 }

    /// Whether a rollback to an open savepoint could restore the page.
    func hasFrozen(_ page: DirtyPage) -> Bool { page.madeAfter < innermost }
}
