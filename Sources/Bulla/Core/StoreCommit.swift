internal import BullaMemory

/// Commits transactions: as frames of the log or, if they are too large for it, as changed pages.
struct StoreCommit {
    let core: StoreCore

    /// The maximum number of checkpoints that one commit makes; each empties at least one half.
    private static let checkpointLimit = 3

    /// Becomes the writer, for a commit on top of all earlier ones.
    ///
    ///     step      what happens
    ///     follow    the log is read without the lock, so that less is left to read under it
    ///     lock      no other thread or process commits
    ///     follow    the log is read to its end, past what was announced
    ///     claim     the pages of the trees stay readable, though checkpoints go on
    ///     edit      an edit on top of the changes in the log begins
    func begin() throws(BullaError) -> LogChanges {
        let entrance = core.entrance
        try entrance.checkWritable()
        let log = try core.log.demand()
        let turn = try log.shared.beginCommit { () throws(BullaError) in
            // Now that it is this thread's turn, closing waits for this thread. So if the store is
            // still open, it stays open until the turn ends.
            try entrance.checkAlive()
        }
        try entrance.checkUse()
        try core.trees.adoptRoot(of: log)
        let pin = try Pinning(core: core).pinUnderEdit(log)
        let (trees, nextTree, isCrowded) = (pin.trees, pin.nextTree, pin.edit.isCrowded)
        let changes = LogChanges(
            turn, pin.edit, of: log.memtables, over: trees, nextStoredTree: nextTree,
            byteLimit: log.directByteCount)
        do throws(BullaError) { if isCrowded { try changes.flushFormer() } } catch {
            abort(changes)
            throw error
        }
        return changes
    }

    /// Ends a transaction, and leaves no trace of it.
    func abort(_ changes: LogChanges) {
        // In a forked child, the locks belong to the parent, and the memory is empty.
        guard core.entrance.isOriginal else { return }
        core.entrance.enteringThoughShutting {
            DirectCommit(core: core).leave(changes)
            core.slots.unpin(changes.base.line)
            changes.end()
        }
    }

    /// Makes the changes visible to other writers, and to readers of published commits.
    ///
    /// - Parameter durability: the durability that the caller waits for afterwards.
    /// - Returns: the commit's number, or the newest commit's if nothing was changed.
    func publish(
        _ changes: LogChanges, _ durability: Durability
    ) throws(BullaError) -> UInt64 {
        try core.entrance.enteringThoughShutting { () throws(BullaError) in
            defer { core.slots.unpin(changes.base.line) }
            let direct = DirectCommit(core: core)
            defer {
                direct.leave(changes)
                changes.end()
            }
            try core.entrance.checkUse()
            if let change = changes.direct { return try direct.publish(change, of: changes) }
            guard !changes.isEmpty else { return changes.commit - 1 }
            try core.place.check(unlessWithin: durability == .full ? .zero : PlaceCheck.age)
            let former = core.log.current?.memtables.newestSequence
            guard let end = try append(changes) else {
                // The free half is too short for the transaction.
                changes.hasOutgrownLog = true
                return try direct.publish(try direct.begin(changes), of: changes)
            }
            changes.end()
            core.board.words.add(1, WorldLayout.commits)
            if let former, end.place.sequence != former { core.chores.checkpointSoon(core) }
            return end.commit
        }
    }

    /// Appends a commit to the log, after a checkpoint if the log has no room.
    ///
    /// The log can lose room that it had a moment ago, for two reasons. Once one thread has learned
    /// that a segment's secret was replaced, no thread of the process appends to that segment any
    /// more. And no half counts as free while a meta slot is being written.
    ///
    /// - Returns: where the log ends after the commit; `nil` if the log has no room even after
    ///   checkpoints.
    private func append(_ changes: LogChanges) throws(BullaError) -> LogPosition? {
        for _ in 0..<Self.checkpointLimit {
            if let end = try changes.publish() { return end }
            // A checkpoint takes over only what is durable. Flush here, without waiting for other
            // writers, because the checkpoint's flush would be a shared one, and its leader may
            // wait for this writer to commit.
            try changes.flushFormer()
            // `make` asks under the lock on the trees whether a checkpoint is still needed, because
            // the last holder of the lock may have made room.
            try StoreCheckpoint(core: core).make { () throws(BullaError) in
                try changes.needsCheckpoint()
            }
        }
        return try changes.publish()
    }
}
