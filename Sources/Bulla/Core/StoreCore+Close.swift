internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// The end of an open store.
///
///     step      what it is for
///     shut      who comes now waits for what comes of it
///     wait      for threads inside, and for the transaction that is open
///     leave     what was published is flushed; the last one confirms it
///     end       slots and descriptor are given up; nothing is used any more
///
/// Up to the end the store can stay open: when waiting takes too long, it does.
extension StoreCore {
    /// - Throws: `busy` when reads or a transaction go on for longer than the lock's timeout, or
    ///   `notYetDurable` where another process does not flush in time: the store stays open then.
    func close() throws(BullaError) {
        guard sentinel?.isOriginal ?? true else { return }
        try checkTurn("close")
        let deadline = ContinuousClock.now + options.lockTimeout
        guard try beginShutting(deadline) else { return }
        do throws(BullaError) {
            try awaitNobody(deadline)
            try writerLock.stop(timeout: deadline - .now)
        } catch {
            gate.reopen()
            throw error
        }
        defer { writerLock.resume() }
        do throws(BullaError) {
            // The transaction that has just ended may still have pages to keep.
            try awaitNobody(deadline)
            try leave()
        } catch {
            guard error.code != .busy, error.code != .notYetDurable else {
                _ = try? parts.file.lock(LockByte.presence, .shared)
                gate.reopen()
                throw error
            }
            end()
            throw error
        }
        end()
    }

    /// Shuts the gate; `false` where somebody has closed the store.
    private func beginShutting(
        _ deadline: ContinuousClock.Instant
    ) throws(BullaError) -> Bool {
        while !gate.beginShutting() {
            if gate.isShut { return false }
            guard ContinuousClock.now < deadline else { throw inUse("another thread closes it") }
            Pause.brief()
        }
        return true
    }

    /// Waits until no thread is inside.
    private func awaitNobody(_ deadline: ContinuousClock.Instant) throws(BullaError) {
        while true {
            switch gate.presence() {
            case .nobody: return
            case .caller: throw inUse("this thread reads or writes it; let that end first")
            case .others:
                guard ContinuousClock.now < deadline else {
                    throw inUse("reads or writes are under way; waited \(options.lockTimeout)")
                }
                Pause.brief()
            }
        }
    }

    private func inUse(_ why: String) -> BullaError {
        BullaError(.busy, "close \(parts.path): \(why)")
    }

    private func leave() throws(BullaError) {
        guard !board.poison.isKnown, !pager.mapping.hasFaulted else { return }
        let commit = try newestCommit()
        if parts.isWritable { try awaitFlush(commit) }
        lastDurable.store(commit, ordering: .releasing)
        // Alone: the last one confirms the newest commit, and takes the coordination file away.
        guard try parts.file.lock(LockByte.presence, .exclusive),
            try world.isInPlace(parts.storage)
        else { return }
        if options.access == .readWrite {
            try emptyLog()
            // A full disk, say, is no reason not to close: then the free pages stay for the next.
            try? giveUpFreePages()
            try flusher.confirm(isLast: true)
            try giveBackTail()
        }
        try world.remove(parts.storage)
    }

    /// Has the trees take over all that the log says, half after half.
    ///
    /// To be called by the last one, alone: others may have committed until just now. What a full
    /// disk has no room for stays in the log.
    private func emptyLog() throws(BullaError) {
        do throws(BullaError) { while try checkpoint() {} } catch {
            guard error.code == .full else { throw error }
        }
    }

    private func end() {
        gate.shut()
        slots.end()
        parts.file.close()
        wipe()
    }

    /// Closes a store that was never wholly open.
    func abandon() {
        gate.shut()
        parts.file.close()
        wipe()
    }

    /// Lets go of a store whose handle has gone where that is a task's thread: if this is the last
    /// reference, closing flushes, and a thread that tasks share must not wait for that.
    func forgetOutsideTasks() {
        guard isForgotten.load(ordering: .acquiring), !gate.isShut, ThreadHint.isTask else {
            return
        }
        DispatchQueue.global(qos: .utility).async { [self] in withExtendedLifetime(self) {} }
    }

    /// Closes a store that nobody refers to any more, so that nobody is inside.
    func endUnattended() {
        guard !gate.isShut, sentinel?.isOriginal ?? true else { return }
        do throws(BullaError) { try leave() } catch {
            options.logger?.warning(
                "closing a store that was forgotten: \(error)", metadata: ["store": "\(parts.path)"]
            )
        }
        end()
    }
}
