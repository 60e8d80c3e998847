internal import BullaMemory

/// Transactions that change pages, because they have outgrown the log.
extension StoreCore {
    /// Has a transaction change pages from here on, over all that the log says.
    ///
    /// It has the lock on the trees until its end: nobody makes a checkpoint.
    ///
    /// - Returns: the pages.
    @discardableResult
    func goDirect(_ changes: LogChanges) throws(BullaError) -> TreeChange {
        let base = try lockTrees()
        do throws(BullaError) {
            let memory = try takeMemory()
            let change = makeChange(over: base, commit: changes.commit, memory)
            do throws(BullaError) { try changes.goDirect(change) } catch {
                giveUp(change)
                takeBack(memory)
                throw error
            }
            return change
        } catch {
            treeLock.release()
            throw error
        }
    }

    /// Gives up the pages that a transaction has changed: what it has changed stands in the log's
    /// words alone, or is given up too.
    func leaveDirect(_ changes: LogChanges) {
        guard let change = changes.direct else { return }
        changes.leaveDirect()
        // In a forked child the file and the lock are the parent's, and the memory is empty.
        guard sentinel?.isOriginal ?? true else { return }
        giveUp(change)
        takeBack(change.pages.memory)
        treeLock.release()
    }

    /// Commits pages: a frame of the log names them.
    ///
    ///     step      what a crash after it leaves
    ///     seal      the old commit; sealed pages in free space, named by nothing
    ///     flush     the same
    ///     append    the commit, which nobody was told of: recovery adopts it, or the next writer
    ///     flush     the same
    ///     post      a checkpoint of the commit
    func publish(
        _ change: TreeChange, of changes: LogChanges
    ) throws(BullaError) -> UInt64 {
        if changes.hasOutgrownLog, let sequence = changes.logSequence {
            try growOtherHalf(change, from: sequence)
        }
        let record = try sealedToDisk(change)
        defer {
            change.pages.writer.drop()
            takeBack(change.pages.memory)
            treeLock.release()
        }
        try changes.publish(root: record) { root throws(BullaError) in
            try flusher.postUnderLock(root)
        }
        board.words.add(1, WorldLayout.commits)
        ChangeSealing(change: change).keepPages()
        return record.commit
    }

    /// What the changes add up to, when their pages are on the disk.
    func sealedToDisk(_ change: TreeChange) throws(BullaError) -> CommitRecord {
        var record = try ChangeSealing(change: change).seal()
        try flusher.flushPages()
        record.sealedCount = board.seals.total(try board.checkpoint())
        return record
    }
}
