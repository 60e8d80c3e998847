internal import BullaMemory

/// The pages that a transaction can take.
struct PageSpace {
    /// Runs that are not used yet, from the free map or from an extension of the file, in the order
    /// in which this change will take them.
    var pool: [PageRun]
    /// Pages that this change took and gave up again.
    var returned: [UInt64] = []
    /// The number after the store's last page.
    var pageCount: UInt64
    /// Where the next search in the free map starts.
    var searchPosition: UInt64
    var freeCount: UInt64
    var pendingCount: UInt64
    /// How many pages this change has taken.
    private(set) var takenCount: UInt64 = 0
    /// How many passes this change has made through the pending frees: freed pages that may still
    /// be needed.
    var reclaimCount = 0
    /// Whether the last pass reached the end of the pending frees.
    var hasReclaimed = false

    init(_ base: CommitRecord) {
        pool = base.window.runs
        pageCount = base.pageCount
        searchPosition = base.searchPosition
        freeCount = base.freeCount
        pendingCount = base.pendingCount
    }

    var poolCount: UInt64 { pool.reduce(0) { $0 + $1.count } }

    /// What remains of the pool after `count` pages are taken.
    ///
    /// - Returns: the first page that remains, and the runs after the run in which it lies; `nil`
    ///   and no runs if no page remains.
    func rest(after count: UInt64) -> (runs: ArraySlice<PageRun>, first: UInt64?) {
        var taken: UInt64 = 0
        for (index, run) in pool.enumerated() {
            guard taken + run.count > count else {
                taken += run.count
                continue
            }
            return (pool[(index + 1)...], run.start + (count - taken))
        }
        return ([], nil)
    }

    /// Takes one page of the pool, which must not be empty.
    mutating func takePage() -> UInt64 {
        precondition(!pool.isEmpty, "pages were reserved before they are taken")
        invariant(pool[0].count > 0, "a run of the pool has a page")
        let number = pool[0].start
        takenCount += 1
        pool[0].start += 1
        pool[0].count -= 1
        if pool[0].count == 0 { pool.removeFirst() }
        return number
    }
}
