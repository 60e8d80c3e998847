extension Store {
    /// Follows what commits change, of whichever process, in the order of the commits.
    ///
    /// Only durable commits are told: what was told once cannot go away. A program that keeps the
    /// number of the last commit that it has dealt with goes on there after it was ended.
    ///
    /// ```swift
    /// let changes = try store.changes()
    /// for try await event in changes {
    ///     switch event {
    ///     case .commit(let commit):
    ///         for case .put(let tree, let key, _) in commit { print(tree, key.count) }
    ///     case .gap: break  // compare snapshots
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter commit: telling begins with the one after it, as far as the log still has that,
    ///   and otherwise with a gap; `nil`: with the next commit that becomes durable. Give the
    ///   number of a durable snapshot, or one that an event told.
    /// - Throws: `invalidArgument` where `commit` is newer than the newest durable one;
    ///   `notYetDurable` for a store that was opened for reading after a crash, whose newest commit
    ///   may not be on the disk; `closed`, `usedAfterFork`, `corrupted`, `io`, `outOfMemory`.
    /// - Complexity: constant, where telling begins with what comes; otherwise a look at each byte
    ///   of the log twice at most.
    public func changes(since commit: UInt64? = nil) throws(BullaError) -> StoreChanges {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            try core.recovery.checkFlushed("follow the changes of")
            let log = try core.log.demand()
            return StoreChanges(core, try log.shared.makeCommitFollower(since: commit))
        }
    }
}
