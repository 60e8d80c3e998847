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
        for _ in 0..<Self.holdLimit {
            let trees = try slots.pin(.durable)
            do throws(BullaError) {
                let record = try board.record(.durable)
                let edit = try log.memtables.edit()
                if record.commit == trees.commit, edit.origin <= trees.commit {
                    return LogChanges(
                        turn, edit, of: log.memtables, over: trees,
                        nextStoredTree: record.nextTree, byteLimit: log.directByteCount)
                }
            } catch {
                slots.unpin(trees.line)
                throw error
            }
            slots.unpin(trees.line)
        }
        throw BullaError(
            .busy,
            "begin a write to \(parts.path): checkpoints came faster than one can be pinned, "
                + "\(Self.holdLimit) times in a row")
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

/// Root frames whose writers have ended before they could name their trees.
extension StoreCore {
    /// Names the tree of a frame that this process has followed past, unless a meta does.
    ///
    /// Under the writer's lock: nobody else appends one.
    private func adoptRoot(of log: StoreLog) throws(BullaError) {
        guard let root = log.memtables.root, try board.record(.durable).commit < root.commit else {
            return
        }
        try treeLock.acquire(timeout: options.lockTimeout) { () throws(BullaError) in
            try checkAlive()
        }
        defer { treeLock.release() }
        try adopt(root, log)
    }

    /// The same of a frame that nobody was told of.
    ///
    /// Under the lock on the trees, before they are changed: their free pages may be that tree's.
    func adoptUnannouncedRoot(of log: StoreLog) throws(BullaError) {
        if let root = try log.shared.findRoot() { try adopt(root, log) }
    }

    /// The same for the only opener, once the log was recovered.
    func adoptRecoveredRoot() throws(BullaError) {
        guard let log, let root = log.memtables.root else { return }
        board.seals.note(root)
        // Who may not write reads that tree all the same.
        guard parts.isWritable else { return try board.post(root, .durable) }
        try adopt(root, log)
    }

    private func adopt(_ root: CommitRecord, _ log: StoreLog) throws(BullaError) {
        guard let position = LogPosition(root) else {
            throw BullaError(
                .corrupted,
                "use \(parts.path): the record of commit \(root.commit) names no place in the log",
                commit: root.commit)
        }
        try log.shared.adopt(position) { () throws(BullaError) in
            guard try board.record(.durable).commit < root.commit else { return }
            try flusher.postUnderLock(root)
        }
    }
}

/// Transactions that change pages, because they have outgrown the log.
extension StoreCore {
    /// Has a transaction change pages from here on, over all that the log says.
    ///
    /// It has the lock on the trees until its end: nobody makes a checkpoint.
    func goDirect(_ changes: LogChanges) throws(BullaError) {
        try treeLock.acquire(timeout: options.lockTimeout) { () throws(BullaError) in
            try checkAlive()
        }
        do throws(BullaError) {
            try flusher.checkPoison()
            try flusher.takeUpNewer()
            let base = try writeBase()
            let memory = try takeMemory()
            let state = makeState(over: base, commit: changes.commit, memory)
            do throws(BullaError) { try changes.goDirect(state) } catch {
                giveUp(state)
                takeBack(memory)
                throw error
            }
        } catch {
            treeLock.release()
            throw error
        }
    }

    /// Gives up the pages that a transaction has changed: what it has changed stands in the log's
    /// words alone, or is given up too.
    func leaveDirect(_ changes: LogChanges) {
        guard let state = changes.direct else { return }
        giveUp(state)
        changes.leaveDirect()
        takeBack(state.memory)
        treeLock.release()
    }

    /// Commits pages: a frame of the log names them.
    ///
    ///     step      what a crash after it leaves
    ///     seal      the old commit; sealed pages in free space, named by nothing
    ///     flush     the same
    ///     append    the commit, which nobody was told of: whoever comes next adopts it
    ///     flush     the same
    ///     post      a checkpoint of the commit
    private func publish(
        _ state: WriteState, of changes: LogChanges
    ) throws(BullaError) -> UInt64 {
        let former = state.base.log
        var record = try state.seal()
        try flusher.flushPages()
        record.sealedCount = board.seals.total(try board.record(.durable))
        let sealed = record
        defer {
            state.isEnded = true
            state.dropWrites()
            takeBack(state.memory)
            treeLock.release()
        }
        try changes.publish(root: record) { end throws(BullaError) in
            var record = sealed
            record.log = former?.moved(to: end)
            try flusher.postUnderLock(record)
        }
        board.words.add(1, WorldLayout.commits)
        state.keepPages()
        return record.commit
    }
}
