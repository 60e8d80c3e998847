internal import BullaMemory

/// Giving up free pages at the file's end.
extension SpaceLedger {
    /// Takes the free pages that the file ends in out of the store, and returns how many.
    ///
    /// What older commits freed is looked through first. What a snapshot, or the
    /// other meta slot, may still need is not free yet, and stays.
    func cutTail() throws(BullaError) -> UInt64 {
        while try reclaim() {}
        try returnPages()
        // What this commit itself needs is to lie as far from the end as it can.
        try mark(space.pool, isFree: true)
        space.freeCount += space.poolCount
        space.pool = []
        space.searchPosition = 0
        let former = space.pageCount
        while try cutLastRun() {}
        invariant(space.pageCount <= former, "a file that is cut has no more pages than before")
        return former - space.pageCount
    }

    /// Takes the run that ends the file, if one of the free map does.
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
