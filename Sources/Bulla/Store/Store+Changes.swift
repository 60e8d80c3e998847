extension Store {
    /// Follows the changes of every commit by any process, in commit order.
    ///
    /// Only durable commits are reported, so no reported change can be lost. A program that stores
    /// the number of the last commit that it handled can continue from there after a restart.
    ///
    /// ```swift
    /// let changes = try store.changes()
    /// for try await event in changes {
    ///     switch event {
    ///     case .commit(let commit):
    ///         for case .put(let number, let key, _) in commit { print(number, key.count) }
    ///     case .gap: break  // compare snapshots
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter commit: the number of a durable snapshot or of an event. The first event is for
    ///   the commit after that one, or is a gap if the log no longer has it. `nil` begins with the
    ///   next commit that becomes durable.
    /// - Throws: `invalidArgument` if `commit` is newer than the newest durable commit;
    ///   `notYetDurable` for a store that was opened for reading after a crash, because its newest
    ///   commit may not be on the disk; `closed`, `usedAfterFork`, `corrupted`, `replaced`, `io`,
    ///   `outOfMemory`.
    /// - Complexity: constant for `nil`; otherwise reads each byte of the log at most twice.
    public func changes(since commit: UInt64? = nil) throws(BullaError) -> StoreChanges {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            try core.recovery.checkFlushed("follow the changes of")
            let log = try core.log.demand()
            return StoreChanges(core, try log.shared.makeCommitFollower(since: commit))
        }
    }
}
