internal import BullaMemory

/// Gives back the room that the file has after its last page.
struct TailCut {
    let core: StoreCore

    private var trees: StoreTrees { core.trees }
    private var format: PageFormat { core.parts.header.format }

    /// The maximum number of commits that one close makes to cut the file: it may need several,
    /// because catalog pages that record free pages must first move away from the file's end.
    private static let cutLimit = 3

    /// Commits a state of the store without the free pages at the file's end, if there are many.
    ///
    /// A closer that is alone calls this before the newest commit is confirmed; ``giveBackTail()``
    /// then cuts the file. A crash leaves the former commit or this one, and both hold the same
    /// entries. The new commit is a checkpoint, and no frame in the log has its number.
    func giveUpFreePages() throws(BullaError) {
        // If no process has committed since the coordination file was created, the last closer has
        // already done this.
        guard core.board.words.loadAcquire(WorldLayout.commits) > 0 else { return }
        let base = try trees.lock()
        defer { trees.unlock() }
        // This takes the next number, so the log must not have a commit of that number already.
        if base.commit == (try core.log.newestCommit()) { try giveUpPages() }
    }

    private func giveUpPages() throws(BullaError) {
        for round in 0..<Self.cutLimit {
            let base = try core.board.checkpoint()
            guard isMostlyUnused(base), try !trees.isKeySpent() else { return }
            // The pages that the last commits freed can be used again only once those commits are
            // confirmed.
            if base.pendingCount > 0 { try core.metaWriter.confirmCheckpoint() }
            guard try cut(base, demanding: round == 0 ? nil : core.options.freeTailByteLimit) else {
                return
            }
        }
    }

    /// Commits a shorter file; returns `false`, without a commit, if the file would not lose more
    /// than `least` bytes.
    private func cut(_ base: CommitRecord, demanding least: UInt64?) throws(BullaError) -> Bool {
        let memory = try trees.memories.take()
        defer { trees.memories.takeBack(memory) }
        let change = trees.makeChange(over: base, memory)
        let record: CommitRecord
        do throws(BullaError) {
            let gained = format.offset(try change.pages.ledger.cutTail())
            guard least.map({ gained > $0 }) ?? true else {
                trees.giveUp(change)
                return false
            }
            record = try trees.seal(change)
        } catch {
            trees.giveUp(change)
            throw error
        }
        // From here on, a meta slot may name the change's pages, so their room stays in the file,
        // even after an error.
        defer { change.pages.writer.drop() }
        try core.metaWriter.post(record)
        try core.metaWriter.confirmCheckpoint()
        return true
    }

    private func isMostlyUnused(_ record: CommitRecord) -> Bool {
        let used = record.pageCount - format.firstPage
        let unused = used.subtractingOrZero(record.liveCount(format))
        return unused > used / 2 && format.offset(unused) > core.options.freeTailByteLimit
    }

    /// Cuts the file to little more than the pages that either meta slot counts, if the rest is
    /// more than the next small commits would need.
    ///
    /// A closer that is alone calls this once the newest commit is confirmed.
    func giveBackTail() throws(BullaError) {
        let pageCount = try core.board.checkpoint().pageCount
        guard try trees.growth.isWorthGivingBack(downTo: format.offset(pageCount)) else { return }
        let records = try core.metaWriter.metas.readAll()
        guard records.count == MetaPage.slotCount else { return }
        let end = records.reduce(pageCount) { max($0, $1.pageCount) }
        try trees.growth.giveBack(downTo: format.offset(end))
    }
}
