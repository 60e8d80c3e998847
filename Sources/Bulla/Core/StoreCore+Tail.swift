internal import BullaMemory

/// Giving back what the file has behind its pages.
extension StoreCore {
    /// How often one close commits: first what frees pages has to move away from the file's end.
    private static let cutLimit = 3

    /// Lets the newest commit count no free pages at the file's end, where there are many.
    ///
    /// To be called by who is alone, before the newest commit is confirmed: the file is cut only
    /// then (``giveBackTail()``). A crash leaves the commit before, or this one, which holds the
    /// same: with a log, a checkpoint of a number that no frame has.
    func giveUpFreePages() throws(BullaError) {
        // Where nobody has written, those who did have looked.
        guard board.words.loadAcquire(WorldLayout.commits) > 0 else { return }
        guard let log else { return try giveUpPages() }
        let base = try lockTrees(of: log)
        defer { treeLock.release() }
        // The next number is a frame's, where the log has one.
        if base.commit == (try log.newestCommit()) { try giveUpPages() }
    }

    private func giveUpPages() throws(BullaError) {
        for round in 0..<Self.cutLimit {
            try flusher.checkBoard()
            var base = try board.record(.published)
            base.keyEpoch = try board.record(.durable).keyEpoch
            guard isMostlyUnused(base), try !isKeySpent() else { return }
            // What the last commits freed may be used again only once they are confirmed.
            if base.pendingCount > 0 { try confirmPublished() }
            let memory = try WriterMemory(pager)
            defer { memory.freeAll() }
            let state = makeState(over: base, memory)
            let gained = parts.header.format.offset(try state.cutTail())
            guard round == 0 || gained > options.freeTailByteLimit else { return }
            try postAlone(state)
        }
    }

    private func postAlone(_ state: WriteState) throws(BullaError) {
        if board.hasLog {
            try flusher.post(try sealedToDisk(state))
            return try flusher.confirmCheckpoint()
        }
        var record = try state.seal()
        record.sealedCount = board.seals.total(try board.record(.durable))
        try board.post(record, .published)
        try flusher.awaitDurable(record.commit)
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
        let pageCount = try board.record(.published).pageCount
        guard try growth.isWorthGivingBack(downTo: format.offset(pageCount)) else { return }
        let records = try flusher.metas.readAll()
        guard records.count == MetaPage.slotCount else { return }
        let end = records.reduce(pageCount) { max($0, $1.pageCount) }
        try growth.giveBack(downTo: format.offset(end))
    }
}
