internal import Dispatch

extension Store {
    /// Waits until a commit survives a loss of power; flushes the log if no other thread or process
    /// does so.
    ///
    /// Use this for a commit with ``Durability/relaxed(within:)``, and after the error
    /// `notYetDurable`. That error means that a commit was published but not flushed in time. Such
    /// a commit stands: wait for it again, and do not make it again.
    ///
    /// - Parameters:
    ///   - commit: the number that `WriteTransaction.commit()` returned, or ``BullaError/commit``
    ///     of the error. The number names that commit while the store stays open in this process;
    ///     after a crash, another commit can get the number.
    /// - Throws: `notYetDurable` if another process held the flush lock for the whole of
    ///   ``StoreOptions/lockTimeout``; the message names the process. `invalidArgument` for a
    ///   commit that no process has published; `readOnly`, `poisoned`, `io`, `corrupted`,
    ///   `replaced`, `closed`, `usedAfterFork`.
    /// - Complexity: at most one flush by this thread; for a commit that is already durable, one
    ///   read of the coordination file.
    public func waitUntilDurable(_ commit: UInt64) throws(BullaError) {
        try Settling(core: core).awaitDurable(commit, since: .now)
    }

    /// Waits until a commit survives a loss of power, without blocking the threads that tasks
    /// share.
    public func waitUntilDurable(_ commit: UInt64) async throws(BullaError) {
        let start = ContinuousClock.now
        try await core.queues.flushing.run { [core] () throws(BullaError) in
            try Settling(core: core).awaitDurable(commit, since: start)
        }
    }
}
