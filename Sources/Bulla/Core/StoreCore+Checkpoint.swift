internal import BullaMemory

/// Taking over into the trees what the log says.
extension StoreCore {
    /// Makes a checkpoint: nothing that a reader can see changes.
    ///
    ///     step           what a crash after it leaves
    ///     merge, seal    the former checkpoint; sealed pages in free space, named by nothing
    ///     flush          the same
    ///     post           see ``Flusher/post(_:)``
    ///     forget         this checkpoint
    ///
    /// A whole older half of the log is taken over, or what is durable where there is none. Commits
    /// go on meanwhile.
    ///
    /// - Returns: whether there was anything to take over.
    /// - Throws: `busy` where somebody else changes the trees for the whole timeout; `full`, `io`:
    ///   then nothing has changed, and the log says it still.
    @discardableResult
    func checkpoint() throws(BullaError) -> Bool {
        guard let log else { return false }
        try checkUse()
        try log.shared.awaitDurable(log.shared.follow())
        try treeLock.acquire(timeout: options.lockTimeout) { () throws(BullaError) in
            try checkAlive()
        }
        defer { treeLock.release() }
        try flusher.checkPoison()
        let base = try writeBase()
        // Others may have taken over what this process still has as the older half.
        if let position = LogPosition(base) { log.memtables.forget(upTo: position) }
        let durable = try log.shared.durablePosition()
        guard let taken = try log.memtables.holdForCheckpoint(durable),
            taken.end.commit > base.commit
        else { return false }
        try enteringAsWriter { () throws(BullaError) in try take(over: taken, base) }
        log.memtables.forget(upTo: taken.end)
        return true
    }

    private func take(
        over taken: borrowing LogCheckpoint, _ base: CommitRecord
    ) throws(BullaError) {
        let memory = try takeMemory()
        defer { takeBack(memory) }
        let state = WriteState(
            pager: pager, growth: growth, board: self, base: base, commit: taken.end.commit,
            turn: nextTurn(), dirtyToken: dirtyToken, memory: memory,
            dirtyByteLimit: options.dirtyByteLimit, reclaimInterval: options.reclaimInterval)
        do throws(BullaError) {
            try state.merge(taken.view.pair, nextTree: taken.view.nextTree)
            state.log = base.log?.moved(to: taken.end)
            var record = try state.seal()
            try flusher.flushPages()
            record.sealedCount = board.seals.total(try board.record(.durable))
            try flusher.post(record)
        } catch {
            giveUp(state)
            throw error
        }
        state.isEnded = true
        state.dropWrites()
        state.keepPages()
    }
}
