internal import BullaMemory

/// Finds pages for a change.
extension SpaceLedger {
    /// The maximum number of chunks of the free map that a search for one run visits before it
    /// gives up.
    private static let searchChunkLimit = 64
    /// The minimum number of pages to take at a time, so that small commits seldom touch the free
    /// map.
    private static let smallestRun: UInt64 = 64
    /// A change may extend the file if the number of unused pages afterwards is at most this plus a
    /// share of the live pages (``growthDivisor``).
    private static let growthAllowance: UInt64 = 1024
    /// For each group of this many live pages, one page may be unused in addition to the allowance.
    ///
    /// If more pages are unused, a change takes scattered free pages first, and extends the file
    /// only for what they do not cover.
    private static let growthDivisor: UInt64 = 8

    /// Fills the pool up to `count` pages.
    ///
    /// This takes the missing pages as one run if it finds one in the free map.
    func reservePages(_ count: UInt64) throws(BullaError) {
        var missing = count.subtractingOrZero(space.poolCount)
        guard missing > 0 else { return }
        try returnPages()
        if try areFreesDue() { _ = try reclaim() }
        let wanted = max(missing, Self.smallestRun)
        if try takeRun(atLeast: missing, wanted: wanted) { return }
        if mayGrow(by: wanted) || space.freeCount < missing {
            while try reclaim() {
                if try takeRun(atLeast: missing, wanted: wanted) { return }
            }
        }
        if !mayGrow(by: wanted) {
            if space.freeCount < missing, try confirmFrees() { while try reclaim() {} }
            try scatter(missing)
        }
        missing = count.subtractingOrZero(space.poolCount)
        if missing > 0 { try grow(by: max(missing, Self.smallestRun)) }
        invariant(space.poolCount >= count, "what was reserved is there to be taken")
    }

    /// Confirms the newest checkpoint, so that neither meta slot needs the pages that the
    /// checkpoint freed.
    ///
    /// - Returns: `false`, without doing anything, if the checkpoint was confirmed already.
    private func confirmFrees() throws(BullaError) -> Bool {
        guard try keeper.board.confirmedCommit() < keeper.base, !keeper.hasConfirmedFrees else {
            return false
        }
        keeper.hasConfirmedFrees = true
        try keeper.board.confirmCheckpoint()
        (space.hasReclaimed, space.reclaimCount) = (false, 0)
        return true
    }

    /// Whether the change may extend the file instead of taking scattered pages.
    private func mayGrow(by count: UInt64) -> Bool {
        let used = space.pageCount - keeper.format.firstPage
        let unused = space.freeCount + space.pendingCount + space.poolCount
        let live = used.subtractingOrZero(unused)
        return used + count <= live + live / Self.growthDivisor + Self.growthAllowance
    }

    private func grow(by count: UInt64) throws(BullaError) {
        appendToPool(try keeper.makeRun(count))
    }

    private func appendToPool(_ run: PageRun) {
        if let last = space.pool.last, last.end == run.start {
            space.pool[space.pool.count - 1].count += run.count
        } else {
            space.pool.append(run)
        }
    }

    /// Takes one run that is long enough, if a bounded part of the free map has one.
    private func takeRun(atLeast count: UInt64, wanted: UInt64) throws(BullaError) -> Bool {
        guard space.freeCount >= count, count <= FreeMap.pagesPerChunk else { return false }
        var found: PageRun?
        try searchFreeMap(chunkLimit: Self.searchChunkLimit) { chunk, record in
            found = FreeMap.firstRun(record, chunk: chunk, atLeast: count)
            return found == nil
        }
        guard let found else { return false }
        try take([PageRun(start: found.start, count: min(found.count, wanted))])
        return true
    }

    /// Takes a run of exactly `count` pages out of the free map; `nil` if there is none.
    func takeFreeRun(_ count: UInt64) throws(BullaError) -> PageRun? {
        if space.freeCount < count { while try reclaim() {} }
        guard space.freeCount >= count else { return nil }
        var found = PageRun.empty
        try searchFreeMap(chunkLimit: .max) { chunk, record in
            // A run can continue in the next chunk.
            FreeMap.forEachRun(record, chunk: chunk) { run in
                let joined = found.end == run.start ? found.count : 0
                found = PageRun(start: run.start - joined, count: run.count + joined)
                return found.count < count
            }
        }
        guard found.count >= count else { return nil }
        let run = PageRun(start: found.start, count: count)
        try mark([run], isFree: false)
        try countTaken(count)
        return run
    }

    /// Takes runs of any length until they add up to enough pages; also takes, for later commits,
    /// the free pages that closely follow the last page it needs.
    private func scatter(_ count: UInt64) throws(BullaError) {
        var runs: [PageRun] = []
        var missing = count
        var end = UInt64.max
        try searchFreeMap(chunkLimit: .max) { chunk, record in
            _ = FreeMap.forEachRun(record, chunk: chunk) { run in
                if missing > 0, run.count >= missing { end = run.start + missing + PageWindow.span }
                guard run.start < end else { return false }
                runs.append(PageRun(start: run.start, count: min(run.end, end) - run.start))
                missing = missing.subtractingOrZero(run.count)
                return true
            }
            return missing > 0
        }
        try take(runs)
    }

    private func take(_ runs: [PageRun]) throws(BullaError) {
        guard let last = runs.last else { return }
        try mark(runs, isFree: false)
        for run in runs { appendToPool(run) }
        try countTaken(runs.reduce(0) { $0 + $1.count })
        space.searchPosition = last.end
    }

    /// Visits the chunks of the free map, first those from the search position on, then those
    /// before it, until `body` returns `false` or `chunkLimit` chunks were visited.
    private func searchFreeMap(
        chunkLimit: Int, _ body: (_ chunk: UInt64, _ record: ByteView) -> Bool
    ) throws(BullaError) {
        let first = space.searchPosition / FreeMap.pagesPerChunk
        var chunksLeft = chunkLimit
        for range in [first..<UInt64.max, 0..<first] {
            let isDone = try forEachChunk(range) { chunk, record in
                chunksLeft -= 1
                return body(chunk, record) && chunksLeft > 0
            }
            if isDone { return }
        }
    }
}
