internal import BullaMemory

/// Commits transactions: as frames of the log, or as changed pages if they are too large for the
/// log.
struct StoreCommit {
    let core: StoreCore

    /// How many checkpoints one commit waits for; each empties at least one half.
    private static let checkpointLimit = 3

    /// Becomes the writer, for a commit on top of all earlier ones.
    ///
    ///     step      what happens
    ///     follow    the log is read without the lock, so that less is left to read under it
    ///     lock      nobody else commits
    ///     follow    the log is read to its end, past what was announced
    ///     claim     the trees beneath stay as they are, though checkpoints go on
    ///     edit      an edit on top of the changes in the log begins
    func begin() throws(BullaError) -> LogChanges {
        let entrance = core.entrance
        try entrance.checkWritable()
        let log = try core.log.demand()
        let turn = try log.shared.beginCommit { () throws(BullaError) in
            // It is this thread's turn: from here on closing waits, so an open store stays open.
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
        // In a forked child the locks belong to the parent, and the memory is empty.
        guard core.entrance.isOriginal else { return }
        core.entrance.enteringThoughShutting {
            DirectCommit(core: core).leave(changes)
            core.slots.unpin(changes.base.line)
            changes.end()
        }
    }

    /// Makes the changes visible to other writers, and to readers of published commits.
    ///
    /// - Parameter durability: what the caller waits for afterwards.
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
    /// Room that was there a moment ago can be gone. No thread continues a segment once another
    /// thread has learned that the segment's secret was replaced, and no half is free while a meta
    /// slot is being written.
    ///
    /// - Returns: where the log ends then; `nil` if it has no room even after checkpoints.
    private func append(_ changes: LogChanges) throws(BullaError) -> LogPosition? {
        for _ in 0..<Self.checkpointLimit {
            if let end = try changes.publish() { return end }
            // A checkpoint takes over only what is durable, and the leader of a flush must not wait
            // for this writer.
            try changes.flushFormer()
            // The former holder of the lock on the trees may have made room.
            try StoreCheckpoint(core: core).make { () throws(BullaError) in
                try changes.needsCheckpoint()
            }
        }
        return try changes.publish()
    }
}
