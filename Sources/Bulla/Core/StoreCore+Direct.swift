internal import BullaMemory

/// Transactions that change pages, because they have outgrown the log.
extension StoreCore {
    /// Has a transaction change pages from here on, over all that the log says.
    ///
    /// It has the lock on the trees until its end: nobody makes a checkpoint.
    ///
    /// - Returns: the pages.
    @discardableResult
    func goDirect(_ changes: LogChanges) throws(BullaError) -> WriteState {
        guard let log else {
            throw BullaError(.closed, "write to \(parts.path): its log is not open")
        }
        let base = try lockTrees(of: log)
        do throws(BullaError) {
            let memory = try takeMemory()
            let state = makeState(over: base, commit: changes.commit, memory)
            do throws(BullaError) { try changes.goDirect(state) } catch {
                giveUp(state)
                takeBack(memory)
                throw error
            }
            return state
        } catch {
            treeLock.release()
            throw error
        }
    }

    /// Gives up the pages that a transaction has changed: what it has changed stands in the log's
    /// words alone, or is given up too.
    func leaveDirect(_ changes: LogChanges) {
        guard let state = changes.direct else { return }
        changes.leaveDirect()
        // In a forked child the file and the lock are the parent's, and the memory is empty.
        guard sentinel?.isOriginal ?? true else { return }
        giveUp(state)
        takeBack(state.memory)
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
        _ state: WriteState, of changes: LogChanges
    ) throws(BullaError) -> UInt64 {
        if changes.hasOutgrownLog, let log, let sequence = changes.logSequence {
            try growOtherHalf(state, from: sequence, of: log)
        }
        let record = try sealedToDisk(state)
        defer {
            state.isEnded = true
            state.dropWrites()
            takeBack(state.memory)
            treeLock.release()
        }
        try changes.publish(root: record) { root throws(BullaError) in
            try flusher.postUnderLock(root)
        }
        board.words.add(1, WorldLayout.commits)
        state.keepPages()
        return record.commit
    }

    /// What the changes add up to, when their pages are on the disk.
    func sealedToDisk(_ state: WriteState) throws(BullaError) -> CommitRecord {
        var record = try state.seal()
        try flusher.flushPages()
        record.sealedCount = board.seals.total(try board.record(.durable))
        return record
    }
}
