internal import BullaMemory
internal import Logging
internal import Synchronization

/// How every use of a store begins: through the gate that close shuts.
extension StoreCore {
    /// Whether the store is open, and this the process that opened it.
    @inline(__always)
    func checkAlive() throws(BullaError) {
        if gate.isShut { throw closed() }
        try checkProcess()
    }

    @inline(__always)
    func checkUse() throws(BullaError) {
        try checkAlive()
        try pager.mapping.checkFaults()
        if world.hasFaulted {
            throw BullaError(
                .replaced,
                "use \(parts.path): its coordination file was cut short; "
                    + "close the store everywhere and open it again")
        }
    }

    func usedAfterFork() -> BullaError {
        BullaError(
            .usedAfterFork, "use \(parts.path): it was opened before a fork; open it again here")
    }

    func closed() -> BullaError {
        BullaError(.closed, "use \(parts.path): the store was closed")
    }

    /// Runs a use of the store: until it ends, close waits.
    ///
    /// - Throws: what `body` throws; `closed`.
    @inline(__always)
    func use<R: ~Copyable>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = try enter()
        defer { gate.leave(entry) }
        return try body()
    }

    /// The same for a caller's closure, whose errors come out as they are.
    @inline(__always)
    func using<R>(_ body: () throws -> R) throws -> R {
        let entry = try enter()
        defer { gate.leave(entry) }
        return try body()
    }

    /// Goes through the gate; each entry is to be left.
    ///
    /// Where the store is being closed, waits for what comes of it: it may stay open.
    @inline(__always)
    func enter() throws(BullaError) -> Gate.Entry {
        let entry = gate.enter()
        if gate.isOpen || entry == .nested { return entry }
        return try enterLater(entry)
    }

    @inline(never)
    private func enterLater(_ first: Gate.Entry) throws(BullaError) -> Gate.Entry {
        var entry = first
        while true {
            gate.leave(entry)
            try checkAlive()
            Pause.brief()
            entry = gate.enter()
            if gate.isOpen { return entry }
        }
    }

    /// Goes through the gate for work that changes its thread before it leaves.
    func enterForAnyThread() throws(BullaError) -> Gate.Entry {
        let entry = gate.enterCounted()
        if gate.isOpen { return entry }
        gate.leave(entry)
        // Waits for what comes of closing, then tries again.
        gate.leave(try enter())
        return try enterForAnyThread()
    }

    /// Runs what a writer does at the end of its turn, which close waits for.
    @inline(__always)
    func enteringAsWriter<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = gate.enter()
        defer { gate.leave(entry) }
        return try body()
    }

    /// The same for what cannot fail.
    @inline(__always)
    func enteringAsWriter(_ body: () -> Void) {
        let entry = gate.enter()
        defer { gate.leave(entry) }
        body()
    }
}

extension StoreCore {
    /// Refuses a newest commit that does not hold what the caller's anchor names.
    func checkAnchor(_ newest: CommitRecord) throws(BullaError) {
        try options.anchor?.check(newest, of: parts.header, path: parts.path)
    }

    /// Tells the logger, and callers that ask later, that recovery had to give something up or to
    /// doubt it.
    func noteRecovery(of commit: UInt64, _ what: String) {
        let text = "recovered at commit \(commit): \(what)"
        recoveryNote.withLock { $0 = text }
        options.logger?.warning("\(text)", metadata: ["store": "\(parts.path)"])
    }

    /// Refuses to vouch for a commit that loss of power can still undo.
    func checkFlushed(_ attempt: String) throws(BullaError) {
        guard isUnflushed.load(ordering: .acquiring) else { return }
        throw BullaError(
            .notYetDurable,
            "\(attempt) \(parts.path): it was not closed cleanly, and its newest commit may not be "
                + "on the disk; open it to write once")
    }
}
