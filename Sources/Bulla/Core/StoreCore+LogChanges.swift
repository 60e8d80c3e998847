internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// Transactions of a store with a log.
extension StoreCore {
    /// Becomes the writer, over all that was committed.
    ///
    ///     step      what it is for
    ///     follow    what is read before the lock is had need not be read under it
    ///     lock      nobody else commits
    ///     follow    to the end, past what was announced
    ///     claim     the trees beneath stay as they are, though checkpoints go on
    ///     edit      what the log says over them, to be changed
    func beginChanges(_ log: StoreLog) throws(BullaError) -> LogChanges {
        try checkWritable()
        let turn = try log.shared.beginCommit { () throws(BullaError) in
            // In turn: from here on close waits, so that what was open stays open.
            try checkAlive()
        }
        try checkUse()
        try adoptRoot(of: log)
        let pin = try pinning(to: "begin a write to") { trees, record throws(BullaError) in
            let edit = try log.memtables.edit()
            guard edit.origin <= trees.commit else { return ChangesPin?.none }
            return ChangesPin(trees: trees, nextTree: record.nextTree, edit: edit)
        }
        let (trees, nextTree) = (pin.trees, pin.nextTree)
        return LogChanges(
            turn, pin.edit, of: log.memtables, over: trees, nextStoredTree: nextTree,
            byteLimit: log.directByteCount)
    }

    /// Ends a transaction without a trace.
    func abort(_ changes: LogChanges) {
        // In a forked child the locks are the parent's, and the memory is empty.
        guard sentinel?.isOriginal ?? true else { return }
        enteringAsWriter {
            leaveDirect(changes)
            slots.unpin(changes.base.line)
            changes.end()
        }
    }

    /// Makes the changes visible to other writers, and to those who read what is published.
    ///
    /// - Returns: the commit's number; the newest commit's where nothing was changed.
    func publish(_ changes: LogChanges) throws(BullaError) -> UInt64 {
        try enteringAsWriter { () throws(BullaError) in
            defer { slots.unpin(changes.base.line) }
            do throws(BullaError) {
                try checkUse()
                if let state = changes.direct {
                    return try publish(state, of: changes)
                }
                guard !changes.isEmpty else {
                    changes.end()
                    return changes.commit - 1
                }
                try checkPlace()
                try makeRoom(for: changes)
            } catch {
                leaveDirect(changes)
                changes.end()
                throw error
            }
            let former = log?.memtables.newestSequence
            let end = try changes.publish()
            board.words.add(1, WorldLayout.commits)
            if let former, end.place.sequence != former { checkpointSoon() }
            return end.commit
        }
    }

    /// How many checkpoints one commit waits for: each empties a half at least.
    private static let checkpointLimit = 3

    /// Makes a checkpoint where the log has no room, under the writer's lock.
    private func makeRoom(for changes: LogChanges) throws(BullaError) {
        for _ in 0..<Self.checkpointLimit {
            guard try changes.needsCheckpoint() else { return }
            // What is to be taken over has to be durable, and company would wait for this writer.
            try changes.flushFormer()
            try checkpoint()
        }
    }

    /// Has another thread take over what stands in the half of the log that has become full.
    private func checkpointSoon() {
        guard !isCheckpointing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        checkpointing.async { [weak self] in
            guard let self else { return }
            isCheckpointing.store(false, ordering: .releasing)
            do throws(BullaError) {
                try use { () throws(BullaError) in _ = try checkpoint() }
            } catch {
                guard ![.closed, .usedAfterFork].contains(error.code) else { return }
                options.logger?.warning(
                    "a checkpoint failed; commits go on as long as the log has room: \(error)",
                    metadata: ["store": "\(parts.path)"])
            }
        }
    }
}
