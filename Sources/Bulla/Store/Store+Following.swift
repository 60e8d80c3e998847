internal import Dispatch

extension Store {
    /// Waits until a commit after `commit` is durable, whichever process made it.
    ///
    /// A follower reads a snapshot, takes its ``Snapshot/commit``, and waits here for the next one.
    /// Commits that come together are told once, by the newest.
    ///
    /// - Parameters:
    ///   - commit: the last one that the caller has seen; 0 where it has seen none.
    ///   - timeout: how long it waits at most.
    /// - Returns: the newest durable commit; `nil` when the time was over before.
    /// - Throws: `closed` when the store is closed here meanwhile; `poisoned`, `usedAfterFork`,
    ///   `corrupted`.
    /// - Complexity: asleep but for five looks a second. The process that commits wakes it.
    public func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(BullaError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        while true {
            let found = try Settling(core: core).awaitFollowing(commit, until: deadline)
            if found != nil || ContinuousClock.now >= deadline { return found }
        }
    }

    /// Does the same off the threads that tasks share; `nil` too when the task was cancelled.
    public func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) async throws(BullaError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        let queue = DispatchQueue(label: "bulla.follow")
        while !Task.isCancelled {
            let found = try await queue.run { [core] () throws(BullaError) in
                try Settling(core: core).awaitFollowing(commit, until: deadline)
            }
            if found != nil || ContinuousClock.now >= deadline { return found }
        }
        return nil
    }
}
