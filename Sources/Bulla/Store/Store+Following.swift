internal import Dispatch

extension Store {
    /// Waits until a commit later than `commit` is durable, whichever process made it.
    ///
    /// A follower reads a snapshot, notes its ``Snapshot/commit``, and waits here for the next
    /// commit. If several commits become durable together, it gets only the newest number.
    ///
    /// - Parameters:
    ///   - commit: the last commit that the caller has seen; 0 if it has seen none.
    ///   - timeout: the longest wait.
    /// - Returns: the newest durable commit; `nil` if the timeout passed first.
    /// - Throws: `closed` if this process closes the store meanwhile; `poisoned`, `usedAfterFork`,
    ///   `corrupted`, `replaced`.
    /// - Complexity: the thread sleeps, and wakes five times a second to check for a commit. A
    ///   flush that makes a commit durable wakes it at once.
    public func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(BullaError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        while true {
            let found = try Settling(core: core).awaitFollowing(commit, until: deadline)
            if found != nil || ContinuousClock.now >= deadline { return found }
        }
    }

    /// Waits until a commit later than `commit` is durable, without blocking the threads that tasks
    /// share.
    ///
    /// - Returns: the newest durable commit; `nil` if the timeout passed first, or if the task was
    ///   cancelled.
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
