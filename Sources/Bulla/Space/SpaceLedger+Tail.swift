internal import BullaMemory

/// Gives up free pages at the file's end.
extension SpaceLedger {
    /// Removes the free pages at the file's end from the store, and returns how many it removed.
    ///
    /// This first reclaims pages that older commits freed. Pages that a snapshot or the older meta
    /// slot may still need are not free yet, and stay.
    func cutTail() throws(BullaError) -> UInt64 {
        while try reclaim() {}
        try returnPages()
        // Return the pool to the free map, so that the pages that this commit itself takes lie as
        // far from the file's end as possible.
        try mark(space.pool, isFree: true)
        space.freeCount += space.poolCount
        space.pool = []
        space.searchPosition = 0
        let former = space.pageCount
        while try cutLastRun() {}
        invariant(space.pageCount <= former, "a file that is cut has no more pages than before")
        return former - space.pageCount
    }

    /// Removes the last run of free pages, if it reaches the file's end; `false` if it does not.
    private func cutLastRun() throws(BullaError) -> Bool {
        guard space.pageCount > keeper.format.firstPage else { return false }
        let chunk = (space.pageCount - 1) / FreeMap.pagesPerChunk
        var found: PageRun?
        _ = try forEachChunk(chunk..<chunk + 1) { chunk, record in
            found = FreeMap.runs(record, chunk: chunk).last
            return true
        }
        guard let found, found.end == space.pageCount else { return false }
        try mark([found], isFree: false)
        try countTaken(found.count)
        space.pageCount = found.start
        return true
    }
}
