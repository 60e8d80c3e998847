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
        try Settling(core: core).awaitDurable(commit, since: .now)
    }

    /// Does the same off the threads that tasks share.
    public func waitUntilDurable(_ commit: UInt64) async throws(BullaError) {
        let start = ContinuousClock.now
        try await core.queues.flushing.run { [core] () throws(BullaError) in
            try Settling(core: core).awaitDurable(commit, since: start)
        }
    }
}
