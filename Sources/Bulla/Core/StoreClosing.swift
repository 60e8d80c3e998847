internal import BullaMemory
internal import Logging

/// Closes an open store.
///
///     step      what happens
///     shut      a use of the store that begins now waits for the outcome
///     wait      for the threads inside, and for the transaction that is open
///     leave     published commits are flushed; the last process confirms the newest one
///     end       reader slots and the descriptor are given up; nothing uses the store any more
///
/// Until the last step, closing can be called off, and a wait that takes too long calls it off.
struct StoreClosing {
    let core: StoreCore

    private var gate: Gate { core.entrance.gate }
    private var file: any StorageFile { core.parts.file }

    /// - Throws: `busy` if reads or a transaction go on for longer than the lock timeout, or are
    ///   the caller's own; `notYetDurable` if another process does not flush in time. After either
    ///   of these errors the store stays open. After any other error it is closed, and its last
    ///   commits may not be durable.
    func close() throws(BullaError) {
        guard core.entrance.isOriginal else { return }
        try core.writerLock.checkTurn("close")
        let deadline = ContinuousClock.now + core.options.lockTimeout
        guard try beginShutting(deadline) else { return }
        do throws(BullaError) {
            try awaitNobody(deadline)
            try core.writerLock.stop(timeout: deadline - .now)
        } catch {
            gate.reopen()
            throw error
        }
        defer { core.writerLock.resume() }
        do throws(BullaError) {
            // A transaction that has just ended may still be putting its pages into the cache.
            try awaitNobody(deadline)
            try leave()
        } catch {
            guard error.code != .busy, error.code != .notYetDurable else {
                // No other process can join a store without a coordination file, so keep the
                // exclusive lock on such a store.
                if core.world.isShared { _ = try? file.lock(LockByte.presence, .shared) }
                gate.reopen()
                throw error
            }
            end()
            throw error
        }
        end()
    }

    /// Begins to shut the gate; `false` if the store is closed already.
    private func beginShutting(
        _ deadline: ContinuousClock.Instant
    ) throws(BullaError) -> Bool {
        while !gate.beginShutting() {
            if gate.isShut { return false }
            guard ContinuousClock.now < deadline else { throw inUse("a thread is closing it") }
            Pause.brief()
        }
        return true
    }

    /// Waits until no thread is inside the gate.
    private func awaitNobody(_ deadline: ContinuousClock.Instant) throws(BullaError) {
        while true {
            switch gate.presence() {
            case .nobody: return
            case .caller: throw inUse("this thread is reading or writing it; let that end first")
            case .others:
                guard ContinuousClock.now < deadline else {
                    throw inUse("reads or writes are under way; waited \(core.options.lockTimeout)")
                }
                Pause.brief()
            }
        }
    }

    private func inUse(_ why: String) -> BullaError {
        BullaError(.busy, "close \(core.parts.path): \(why)")
    }

    private func leave() throws(BullaError) {
        guard !core.board.poison.isKnown, !core.pager.mapping.hasFaulted else { return }
        let commit = try core.log.newestCommit()
        if core.parts.isWritable { try core.log.awaitDurable(commit) }
        core.log.noteDurable(commit)
        // If no other process has the store open, this one confirms the newest commit, and removes
        // the coordination file.
        guard try file.lock(LockByte.presence, .exclusive),
            try core.world.isInPlace(core.parts.storage)
        else { return }
        if core.options.access == .readWrite {
            try emptyLog()
            // Close the store even if this fails, for example on a full disk: the free pages then
            // stay in the file.
            let tail = TailCut(core: core)
            try? tail.giveUpFreePages()
            try core.metaWriter.confirm(isLast: true)
            try tail.giveBackTail()
        }
        try core.world.remove(core.parts.storage)
    }

    /// Makes checkpoints until the trees have taken over the whole log, one half after the other.
    ///
    /// The last process calls this only after it has found itself alone, because other processes
    /// may commit until then. If the disk is full, the rest stays in the log.
    private func emptyLog() throws(BullaError) {
        do throws(BullaError) { while try StoreCheckpoint(core: core).make() {} } catch {
            guard error.code == .full else { throw error }
        }
    }

    private func end() {
        gate.shut()
        core.slots.end()
        core.snapshots.forget()
        file.close()
        wipe()
    }

    /// Closes a store that was never fully open.
    func abandon() {
        gate.shut()
        file.close()
        wipe()
    }

    /// Closes a store that nothing refers to any more, so that no thread is inside it.
    func endUnattended() {
        guard !gate.isShut, core.entrance.isOriginal else { return }
        do throws(BullaError) { try leave() } catch {
            core.options.logger?.warning(
                "cannot close a store that the program released without closing it: \(error)",
                metadata: ["store": "\(core.parts.path)"])
        }
        end()
    }

    /// Wipes all plaintext and all keys of the store from memory, even if the program still holds
    /// the store, a snapshot, a cursor or a tree.
    ///
    /// Call it once, after the descriptor has been given up, when no thread is inside a call: no
    /// span is lent, no frame is read, nothing is sealed or opened. Every later call throws before
    /// it reaches any of this memory. The memory stays mapped, so even an access that came too late
    /// would find only zeros, and ciphers that refuse to work.
    ///
    ///     holder                   what it held
    ///     dependents               secrets and ciphers of open vaults
    ///     the ciphers              master secret, data and meta keys, contexts of libcrypto
    ///     the board, the metas     the board's keys and contexts; buffers
    ///     the log                  its board's keys, its changes
    ///     the pager                opened pages and values; the mapped file
    ///     memory of writers        changed pages, names, keys
    ///     found trees              names
    private func wipe() {
        core.dependents.end()
        core.parts.ciphers.end()
        core.board.end()
        core.log.end()
        core.metaWriter.metas.wipe()
        core.pager.wipe()
        core.trees.memories.wipe()
        core.foundTrees.wipe()
    }
}
