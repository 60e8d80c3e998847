internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// Transactions.
extension StoreCore {
    /// Becomes the writer, over all that was committed.
    ///
    ///     step      what it is for
    ///     follow    what is read before the lock is had need not be read under it
    ///     lock      nobody else commits
    ///     follow    to the end, past what was announced
    ///     claim     the trees beneath stay as they are, though checkpoints go on
    ///     edit      what the log says over them, to be changed
    func beginChanges() throws(BullaError) -> LogChanges {
        try checkWritable()
        let log = try demandLog()
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
    /// - Parameter durability: that is waited for after it.
    /// - Returns: the commit's number; the newest commit's where nothing was changed.
    func publish(
        _ changes: LogChanges, _ durability: Durability
    ) throws(BullaError) -> UInt64 {
        try enteringAsWriter { () throws(BullaError) in
            defer { slots.unpin(changes.base.line) }
            do throws(BullaError) {
                try checkUse()
                if let change = changes.direct { return try publish(change, of: changes) }
                guard !changes.isEmpty else {
                    changes.end()
                    return changes.commit - 1
                }
                try checkPlace(unlessWithin: durability == .full ? .zero : Self.placeCheckAge)
                guard try makeRoom(for: changes) else {
                    // Whichever half is free is too short for it.
                    changes.hasOutgrownLog = true
                    return try publish(try goDirect(changes), of: changes)
                }
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

    /// How long a look at the place of the store serves relaxed commits.
    static let placeCheckAge: Duration = .milliseconds(1)

    /// Checks that the store is where it was opened, unless that was seen so short a time ago.
    func checkPlace(unlessWithin age: Duration) throws(BullaError) {
        let now = ContinuousClock.now
        let isFresh = lastPlaceCheck.withLock { last in last.map { now - $0 < age } ?? false }
        if isFresh { return }
        try checkPlace()
        lastPlaceCheck.withLock { $0 = now }
    }

    /// How many checkpoints one commit waits for: each empties a half at least.
    private static let checkpointLimit = 3

    /// Makes a checkpoint where the log has no room, under the writer's lock.
    ///
    /// - Returns: `false` where it has none after that.
    private func makeRoom(for changes: LogChanges) throws(BullaError) -> Bool {
        for _ in 0..<Self.checkpointLimit {
            guard try changes.needsCheckpoint() else { return true }
            // What is to be taken over has to be durable, and company would wait for this writer.
            try changes.flushFormer()
            try checkpoint()
        }
        return try !changes.needsCheckpoint()
    }

    /// So many bytes of the log are taken over as soon as nobody writes; fewer, later.
    private static let idleByteCount: UInt64 = 1 << 20
    /// How long nobody has to write for that.
    private static let idleTime = 10.0

    /// Has another thread take over what the log says, since nobody writes.
    func checkpointWhenIdle(_ log: StoreLog) {
        guard options.checkpointsWhenIdle, options.access == .readWrite,
            let byteCount = try? log.shared.byteCount(), byteCount > 0
        else { return }
        guard byteCount < Self.idleByteCount else { return checkpointSoon() }
        guard !isAwaitingIdleness.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let flush = board.words.loadAcquire(WorldLayout.logDurable)
        checkpointing.asyncAfter(deadline: .now() + Self.idleTime) { [weak self] in
            guard let self else { return }
            isAwaitingIdleness.store(false, ordering: .releasing)
            guard sentinel?.isOriginal ?? true else { return }
            // A flush since then is a commit's, whose writer waits for idleness in turn.
            if board.words.loadAcquire(WorldLayout.logDurable) == flush { checkpointSoon() }
        }
    }

    /// Has another thread take over what stands in the log.
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
