internal import Dispatch

extension Store {
    /// Waits until a commit survives power loss; flushes where nobody else is at it.
    ///
    /// For a commit that was made with ``Durability/relaxed(within:)``, and for one that was
    /// published and could not be flushed in time (`notYetDurable`): such a commit stands, and is
    /// waited for again, not made again.
    ///
    /// - Parameters:
    ///   - commit: the number that `WriteTransaction.commit()` gave, or ``BullaError/commit`` of
    ///     the error. It means that commit as long as the store stays open here: after a crash
    ///     another commit may have its number.
    /// - Throws: `notYetDurable` when somebody else held the flush lock for the whole of
    ///   ``StoreOptions/lockTimeout``; the message names the process. `invalidArgument` for a
    ///   commit that nobody has published; `readOnly`, `poisoned`, `io`, `corrupted`, `closed`,
    ///   `usedAfterFork`.
    /// - Complexity: one flush at the most by this thread; a look at the coordination file where
    ///   the commit is durable already.
    public func waitUntilDurable(_ commit: UInt64) throws(BullaError) {
        try core.awaitDurable(commit, since: .now)
    }

    /// Does the same off the threads that tasks share.
    public func waitUntilDurable(_ commit: UInt64) async throws(BullaError) {
        let start = ContinuousClock.now
        try await core.flushing.run { [core] () throws(BullaError) in
            try core.awaitDurable(commit, since: start)
        }
    }
}

extension StoreCore {
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant
    ) throws(BullaError) {
        guard try isToBeAwaited(commit) else { return }
        try settle(commit, .full, since: start)
    }

    /// Whether the commit is there, and not durable yet.
    private func isToBeAwaited(_ commit: UInt64) throws(BullaError) -> Bool {
        try use { () throws(BullaError) in try isPending(commit) }
    }

    private func isPending(_ commit: UInt64) throws(BullaError) -> Bool {
        try checkUse()
        let published = try newestCommit()
        guard commit <= published else {
            throw BullaError(
                .invalidArgument,
                "wait for commit \(commit) of \(parts.path): the newest is \(published)",
                commit: commit)
        }
        guard try durableCommit() < commit else { return false }
        guard options.access == .readWrite else {
            throw BullaError(
                .readOnly,
                "wait for commit \(commit) of \(parts.path): it was opened for reading, and its "
                    + "flush is a writer's to make")
        }
        return true
    }
}
