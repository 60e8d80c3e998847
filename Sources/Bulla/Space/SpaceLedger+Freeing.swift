internal import BullaMemory

/// Keeps freed pages until nothing can need them any more.
extension SpaceLedger {
    /// How many passes through the pending frees a change makes at most before it extends the file;
    /// once it has confirmed a checkpoint, it may make as many again.
    private static let reclaimLimit = 4

    /// Returns to the free map the pages that this change took and has given up.
    func returnPages() throws(BullaError) {
        guard !space.returned.isEmpty else { return }
        let numbers = space.returned.sorted()
        space.returned = []
        try mark(PageRun.runs(of: numbers), isFree: true)
        space.freeCount += UInt64(numbers.count)
    }

    /// Trims the pool to the pages that this commit still takes and to pages that a ``PageWindow``
    /// can hand on to the next commit.
    ///
    /// The pages that this removes from the pool lie at the file's end, or in chunks of the free
    /// map whose records this change has already changed. So no further page of the catalog
    /// changes.
    ///
    /// - Parameter count: how many pages of the pool this commit still takes.
    func trimPool(keeping count: UInt64) throws(BullaError) {
        let rest = space.rest(after: count)
        guard let first = rest.first else { return }
        for index in rest.runs.indices.reversed() {
            let run = space.pool[index]
            guard !PageWindow.canHold(run, from: first) else { continue }
            space.pool.remove(at: index)
            if run.end == space.pageCount {
                space.pageCount = run.start
            } else {
                try mark([run], isFree: true)
                space.freeCount += run.count
            }
        }
    }

    /// Records the freed pages that are not in the catalog yet.
    func recordFreed() throws(BullaError) {
        let fresh = keeper.freed[keeper.freedRecorded...].sorted { $0.number < $1.number }
        var sequence = UInt32(clamping: keeper.freedRecorded)
        guard zip(fresh, fresh.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
            throw catalog.catalogDefect("one of its pages is freed twice")
        }
        keeper.freedRecorded = keeper.freed.count
        space.pendingCount += UInt64(fresh.count)
        var rest = PendingFrees.coalesced(fresh)[...]
        while !rest.isEmpty {
            let part = rest.prefix(PendingFrees.itemLimit)
            try catalog.putCatalog(
                CatalogKey.pending(keeper.commit, sequence), PendingFrees.bytes(part))
            rest = rest.dropFirst(part.count)
            sequence += UInt32(part.reduce(0) { $0 + $1.run.count })
        }
    }

    /// Whether the oldest pending frees are old enough for a pass through all pending frees;
    /// `false` if this change has made a pass already.
    func areFreesDue() throws(BullaError) -> Bool {
        guard space.reclaimCount == 0 else { return false }
        var oldest = keeper.base
        try catalog.scanCatalog(.prefix([CatalogKey.pendingMark])) { key, _ in
            oldest = CatalogKey.number(key)
            return .stop
        }
        let interval = keeper.reclaimInterval
        guard keeper.base.subtractingOrZero(oldest) >= interval else { return false }
        return try keeper.board.confirmedCommit().subtractingOrZero(oldest) >= interval
    }

    /// Moves to the free map the pages that older commits freed and that nothing can need any more.
    ///
    /// - Returns: whether a pass visited any record. No pass is made if the previous one reached
    ///   the last record, or if there were ``reclaimLimit`` passes already.
    func reclaim() throws(BullaError) -> Bool {
        guard !space.hasReclaimed, space.reclaimCount < Self.reclaimLimit else { return false }
        space.reclaimCount += 1
        let confirmed = try keeper.board.confirmedCommit()
        // List the snapshots after reading `confirmed`, so that any snapshot that is missing from
        // the list reads that commit or a newer one.
        var pass = ReclaimPass(snapshots: try keeper.board.snapshotCommits())
        try visitHeld(&pass)
        let end = CatalogKey.pending(min(confirmed, keeper.base) + 1, 0)
        try visit(.from(CatalogKey.pending(0, 0), upTo: end), &pass)
        space.hasReclaimed = !pass.isFull
        try settle(pass)
        return !pass.visited.isEmpty
    }

    /// Visits the records of pages that were held back for snapshots that have ended.
    private func visitHeld(_ pass: inout ReclaimPass) throws(BullaError) {
        var next: UInt64 = 0
        while !pass.isFull {
            var found: UInt64?
            try catalog.scanCatalog(CatalogKey.held(from: next)) { key, _ in
                found = CatalogKey.number(key)
                return .stop
            }
            guard let snapshot = found else { return }
            if !pass.lives(snapshot) { try visit(CatalogKey.held(by: snapshot), &pass) }
            // In a damaged or forged catalog, a key that is too short can have a lower number than
            // the search asked for. The loop must not go back to that number, or it might not end.
            guard snapshot >= next, snapshot < .max else { return }
            next = snapshot + 1
        }
    }

    private func visit(_ range: KeyRange, _ pass: inout ReclaimPass) throws(BullaError) {
        guard !pass.isFull else { return }
        try catalog.scanCatalog(range) { key, value throws(BullaError) in
            try pass.visit(key, value, self)
            return pass.isFull ? .stop : .next
        }
    }

    /// Deletes the records that a pass visited, and notes which of their pages are free, and which
    /// are held back.
    private func settle(_ pass: ReclaimPass) throws(BullaError) {
        for key in pass.visited {
            guard try catalog.deleteCatalog(key) else {
                throw catalog.catalogDefect("a record of its pending frees is out of place")
            }
        }
        for (key, items) in pass.held {
            try catalog.putCatalog(key, PendingFrees.bytes(items[...]))
        }
        try mark(pass.reusable, isFree: true)
        let count = pass.reusable.reduce(0) { $0 + $1.count }
        space.freeCount += count
        guard count <= space.pendingCount else {
            throw catalog.catalogDefect("its pending frees have more pages than are counted")
        }
        space.pendingCount -= count
    }
}
