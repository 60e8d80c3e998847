internal import BullaMemory

/// Finding pages.
///
/// Their keeping is in the catalog, so whatever is done here may change catalog pages.
extension WriteState {
    /// How many chunks of the free map a search for one run looks at before it gives up.
    private static let searchChunkLimit = 64
    /// What is taken at least, so that small commits seldom touch the free map.
    private static let smallestRun: UInt64 = 64
    /// How many commits may wait for a flush before one that needs their pages asks for it.
    private static let unflushedCommitLimit: UInt64 = 8
    /// Growth below this many pages is always preferred to scattering a commit.
    private static let growthAllowance: UInt64 = 1024
    /// How often one transaction looks through a part of what was freed, before the file grows.
    private static let reclaimLimit = 4

    /// Sees to it that the pool holds `count` pages, in one run where there is one.
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
        if missing > 0 { try grow(by: max(missing, min(wanted, Self.smallestRun))) }
    }

    /// Flushes when what is freed waits for a flush that relaxed commits have put off; whether it
    /// did.
    ///
    /// So the file stays bounded, however long they may put it off.
    private func confirmFrees() throws(BullaError) -> Bool {
        let waiting = base.commit.subtractingOrZero(try board.confirmedCommit())
        guard waiting > Self.unflushedCommitLimit, !hasConfirmedFrees else { return false }
        hasConfirmedFrees = true
        try board.confirmPublished()
        (space.hasReclaimed, space.reclaimCount) = (false, 0)
        return true
    }

    /// Whether the file may grow rather than scatter: up to twice the pages that hold something.
    private func mayGrow(by count: UInt64) -> Bool {
        let used = space.pageCount - format.firstPage
        let unused = space.freeCount + space.pendingCount + space.poolCount
        return used + count <= 2 * used.subtractingOrZero(unused) + Self.growthAllowance
    }

    private func grow(by count: UInt64) throws(BullaError) {
        appendToPool(try makeRun(count))
    }

    /// Makes the file longer by pages that are this transaction's.
    func makeRun(_ count: UInt64) throws(BullaError) -> PageRun {
        let start = space.pageCount
        guard start + count < WordTable.wordCountLimit else {
            throw BullaError(
                .full, "grow \(pager.file.path): it has \(start) pages, which is the limit")
        }
        let former = try growth.ensure(pageCount: start + count, runCount: count) {
            () throws(BullaError) in try board.checkPlace()
        }
        grownFrom = grownFrom ?? former
        space.pageCount = start + count
        return PageRun(start: start, count: count)
    }

    private func appendToPool(_ run: PageRun) {
        if let last = space.pool.last, last.end == run.start {
            space.pool[space.pool.count - 1].count += run.count
        } else {
            space.pool.append(run)
        }
    }

    /// Takes one run of the free map that is long enough, looking at a bounded part of it.
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

    /// Takes a run of exactly so many pages out of the free map; `nil` where it has none.
    func takeFreeRun(_ count: UInt64) throws(BullaError) -> PageRun? {
        if space.freeCount < count { while try reclaim() {} }
        guard space.freeCount >= count else { return nil }
        var found = PageRun.empty
        try searchFreeMap(chunkLimit: .max) { chunk, record in
            // A run may go on in the next chunk.
            FreeMap.forEachRun(record, chunk: chunk) { run in
                let joined = found.end == run.start ? found.count : 0
                found = PageRun(start: run.start - joined, count: run.count + joined)
                return found.count < count
            }
        }
        guard found.count >= count else { return nil }
        let run = PageRun(start: found.start, count: count)
        try mark([run], isFree: false)
        space.freeCount = space.freeCount.subtractingOrZero(count)
        return run
    }

    /// Takes whatever runs there are, until they are enough, and leaves the next commits what lies
    /// close to the last of them.
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
        space.freeCount = space.freeCount.subtractingOrZero(runs.reduce(0) { $0 + $1.count })
        space.searchPosition = last.end
    }

    /// Visits the free map's chunks from where the last search ended, once around, while `body`
    /// wants more.
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

    /// Visits the free map's chunks; `true` when `body` has seen enough.
    func forEachChunk(
        _ range: Range<UInt64>, _ body: (UInt64, ByteView) -> Bool
    ) throws(BullaError) -> Bool {
        let keys = KeyRange.from(
            CatalogKey.chunk(range.lowerBound), upTo: CatalogKey.chunk(range.upperBound))
        // Pages that the file does not have, and the preamble, must not be handed out, whatever the
        // catalog says.
        let pages = format.firstPage..<max(space.pageCount, format.firstPage)
        var isDone = false
        try scanCatalog(keys) { key, record throws(BullaError) in
            let chunk = CatalogKey.number(key)
            guard FreeMap.isSound(record, chunk: chunk, pages: pages) else {
                throw defect(base.catalog.pointer, "its free map names pages that do not exist")
            }
            isDone = !body(chunk, record)
            return isDone ? .stop : .next
        }
        return isDone
    }

    /// Marks runs as free, or as taken.
    func mark(_ runs: [PageRun], isFree: Bool) throws(BullaError) {
        let pieces = runs.flatMap { $0.pieces(of: FreeMap.pagesPerChunk) }
            .sorted { $0.start < $1.start }
        var rest = pieces[...]
        while let first = rest.first {
            let chunk = first.start / FreeMap.pagesPerChunk
            let key = CatalogKey.chunk(chunk)
            var record = try catalogValue(key) ?? [UInt8](repeating: 0, count: FreeMap.byteCount)
            guard record.count == FreeMap.byteCount else {
                throw defect(base.catalog.pointer, "a record of its free map has the wrong length")
            }
            while let piece = rest.first, piece.start / FreeMap.pagesPerChunk == chunk {
                FreeMap.mark(&record, piece, isFree: isFree)
                rest = rest.dropFirst()
            }
            try putCatalog(key, record)
        }
    }

    /// Puts pages of this transaction's own, sealed and given up, back into the free map.
    func returnPages() throws(BullaError) {
        guard !space.returned.isEmpty else { return }
        let numbers = space.returned.sorted()
        space.returned = []
        try mark(PageRun.runs(of: numbers), isFree: true)
        space.freeCount += UInt64(numbers.count)
    }

    /// Leaves no more in the pool than the next commit can be told of, once it is known how many
    /// pages this one takes.
    ///
    /// What goes back lies in chunks that this transaction has changed already, or at the file's
    /// end: it makes no further page of the catalog change.
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

    /// Records what this commit has freed, as far as the catalog does not know it yet.
    func recordFreed() throws(BullaError) {
        let fresh = freed[freedRecorded...].sorted { $0.number < $1.number }
        var sequence = UInt32(clamping: freedRecorded)
        freedRecorded = freed.count
        space.pendingCount += UInt64(fresh.count)
        var rest = PendingFrees.coalesced(fresh)[...]
        while !rest.isEmpty {
            let part = rest.prefix(PendingFrees.itemLimit)
            try putCatalog(CatalogKey.pending(commit, sequence), PendingFrees.bytes(part))
            rest = rest.dropFirst(part.count)
            sequence += UInt32(part.reduce(0) { $0 + $1.run.count })
        }
    }

    /// Whether commits enough have freed pages since these were last looked through.
    private func areFreesDue() throws(BullaError) -> Bool {
        guard space.reclaimCount == 0 else { return false }
        var oldest = base.commit
        try scanCatalog(.prefix([CatalogKey.pendingMark])) { key, _ in
            oldest = CatalogKey.number(key)
            return .stop
        }
        guard base.commit.subtractingOrZero(oldest) >= reclaimInterval else { return false }
        return try board.confirmedCommit().subtractingOrZero(oldest) >= reclaimInterval
    }

    /// Moves what older commits freed to the free map, as far as nobody can need it any more;
    /// whether there was anything to look at.
    func reclaim() throws(BullaError) -> Bool {
        guard !space.hasReclaimed, space.reclaimCount < Self.reclaimLimit else { return false }
        space.reclaimCount += 1
        let confirmed = try board.confirmedCommit()
        // Asked after it: a snapshot that is not listed yet will see that commit or a newer one.
        var pass = ReclaimPass(snapshots: try board.snapshotCommits())
        try visitHeld(&pass)
        let end = CatalogKey.pending(min(confirmed, base.commit) + 1, 0)
        try visit(.from(CatalogKey.pending(0, 0), upTo: end), &pass)
        space.hasReclaimed = !pass.isFull
        try settle(pass)
        return !pass.visited.isEmpty
    }

    /// Looks at what was held back for snapshots that have ended.
    private func visitHeld(_ pass: inout ReclaimPass) throws(BullaError) {
        var next: UInt64 = 0
        while !pass.isFull {
            var found: UInt64?
            try scanCatalog(CatalogKey.held(from: next)) { key, _ in
                found = CatalogKey.number(key)
                return .stop
            }
            guard let snapshot = found else { return }
            if !pass.lives(snapshot) { try visit(CatalogKey.held(by: snapshot), &pass) }
            // A key that is cut short has a lower number than the one it was looked for by.
            guard snapshot >= next, snapshot < .max else { return }
            next = snapshot + 1
        }
    }

    private func visit(_ range: KeyRange, _ pass: inout ReclaimPass) throws(BullaError) {
        guard !pass.isFull else { return }
        try scanCatalog(range) { key, value throws(BullaError) in
            try pass.visit(key, value, self)
            return pass.isFull ? .stop : .next
        }
    }

    /// Puts what a pass has looked at where it belongs.
    private func settle(_ pass: ReclaimPass) throws(BullaError) {
        for key in pass.visited {
            guard try deleteCatalog(key) else {
                throw defect(base.catalog.pointer, "a record of its pending frees is out of place")
            }
        }
        for (key, items) in pass.held { try putCatalog(key, PendingFrees.bytes(items[...])) }
        try mark(pass.reusable, isFree: true)
        let count = pass.reusable.reduce(0) { $0 + $1.count }
        space.freeCount += count
        space.pendingCount = space.pendingCount.subtractingOrZero(count)
    }
}
