internal import BullaMemory

/// Giving back what the file has behind its pages.
extension StoreCore {
    /// How often one close commits: first what frees pages has to move away from the file's end.
    private static let cutLimit = 3

    /// Lets the newest commit count no free pages at the file's end, where there are many.
    ///
    /// To be called by who is alone, before the newest commit is confirmed: the file is cut only
    /// then (``giveBackTail()``). A crash leaves the commit before, or this one, which holds the
    /// same: a checkpoint of a number that no frame has.
    func giveUpFreePages() throws(BullaError) {
        // Where nobody has written, those who did have looked.
        guard board.words.loadAcquire(WorldLayout.commits) > 0 else { return }
        let base = try lockTrees()
        defer { treeLock.release() }
        // The next number is a frame's, where the log has one.
        if base.commit == (try newestCommit()) { try giveUpPages() }
    }

    private func giveUpPages() throws(BullaError) {
        for round in 0..<Self.cutLimit {
            let base = try board.checkpoint()
            guard isMostlyUnused(base), try !isKeySpent() else { return }
            // What the last commits freed may be used again only once they are confirmed.
            if base.pendingCount > 0 { try confirmCheckpoint() }
            let memory = try WriterMemory(pager)
            defer { memory.freeAll() }
            let change = makeChange(over: base, memory)
            let gained = parts.header.format.offset(try change.pages.ledger.cutTail())
            guard round == 0 || gained > options.freeTailByteLimit else { return }
            try flusher.post(try sealedToDisk(change))
            try confirmCheckpoint()
        }
    }

    private func isMostlyUnused(_ record: CommitRecord) -> Bool {
        let format = parts.header.format
        let used = record.pageCount - format.firstPage
        let unused = used.subtractingOrZero(record.liveCount(format))
        return unused > used / 2 && format.offset(unused) > options.freeTailByteLimit
    }

    /// Cuts off what lies behind the pages that any meta page counts, as far as it is more than the
    /// next small commits would make anew.
    ///
    /// To be called by who is alone, once the newest commit is confirmed.
    func giveBackTail() throws(BullaError) {
        let format = parts.header.format
        let pageCount = try board.checkpoint().pageCount
        guard try growth.isWorthGivingBack(downTo: format.offset(pageCount)) else { return }
        let records = try flusher.metas.readAll()
        guard records.count == MetaPage.slotCount else { return }
        let end = records.reduce(pageCount) { max($0, $1.pageCount) }
        try growth.giveBack(downTo: format.offset(end))
    }
}
