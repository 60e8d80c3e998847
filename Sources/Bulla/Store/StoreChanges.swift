internal import Dispatch
internal import Synchronization

/// The changes of the commits of all processes, one commit after the other.
///
/// ``Store/changes(since:)`` makes an object of this class. Call `next(waitingAtMost:)` for the
/// next event, or iterate with `for try await`. The object delivers each event once, so readers of
/// the same object share its events. A reader that needs all events must make an object of its own.
///
/// The events of an object leave out no commit. Each ``Event/commit(_:)`` has all changes since the
/// event before it, and each ``Event/gap(after:upTo:)`` names a range of commits whose changes are
/// not known. Commit numbers can be skipped. As the last process closes the store, it makes a
/// checkpoint, and that checkpoint can take a number although it changes nothing.
///
/// Like a snapshot, the object keeps the store open while it is referenced. Neither writers nor
/// checkpoints wait for a reader: one that is too slow gets a gap.
public final class StoreChanges: Sendable {
    /// One event of a store's changes.
    public enum Event: Sendable {
        /// The changes of a durable commit.
        case commit(CommittedChanges)
        /// The changes after the commit `after`, up to and including `upTo`, are not known.
        ///
        /// Either the log was reused before the reader had read it, or a commit bypassed the log
        /// because it was too large or sealed pages anew. The next event comes after `upTo`.
        ///
        /// The caller can make a snapshot and compare it with an older one
        /// (``Snapshot/forEachDifference(from:inTreeNamed:_:_:)``). A snapshot that is made now can
        /// be newer than `upTo`: it then includes the changes of later events too, up to its
        /// ``Snapshot/commit``.
        case gap(after: UInt64, upTo: UInt64)
    }

    private let core: StoreCore
    private let follower: Mutex<CommitFollower?>
    /// The queue on which calls by tasks wait.
    private let queue = DispatchQueue(label: "bulla.changes", attributes: .concurrent)

    init(_ core: StoreCore, _ follower: consuming CommitFollower) {
        self.core = core
        self.follower = Mutex(consume follower)
        core.dependents.add(self)
    }

    deinit { core.releaseOutsideTasks() }

    /// The next event.
    ///
    /// - Parameter limit: the longest wait for an event. With `.zero`, the call returns only an
    ///   event that is available at once.
    /// - Returns: `nil` if no event came within the limit.
    /// - Throws: `closed`, also if this process closes the store meanwhile; `poisoned`, after the
    ///   events of all durable commits; `readOnly`, after all events, if no process can commit
    ///   because this one reads the store without a coordination file; `usedAfterFork`,
    ///   `corrupted`, `replaced`, `io`, `outOfMemory`.
    /// - Complexity: reads and verifies the commit's frames, and holds the memory of one commit. A
    ///   waiting thread sleeps, and wakes five times a second to check for a commit; a flush that
    ///   makes a commit durable wakes it at once.
    public func next(waitingAtMost limit: Duration = .zero) throws(BullaError) -> Event? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let event = try next(until: deadline) { return event }
            if ContinuousClock.now >= deadline { return nil }
        }
    }

    /// The next event, without blocking the threads that tasks share.
    ///
    /// - Returns: `nil` if no event came within the limit, or if the task was cancelled.
    public func next(waitingAtMost limit: Duration = .zero) async throws(BullaError) -> Event? {
        let deadline = ContinuousClock.now + limit
        while !Task.isCancelled {
            let event = try await queue.run { [self] () throws(BullaError) in
                try next(until: deadline)
            }
            if event != nil || ContinuousClock.now >= deadline { return event }
        }
        return nil
    }

    /// The next event; `nil` if none has come after one sleep.
    ///
    /// So a thread that closes the store waits no longer than one sleep.
    private func next(until deadline: ContinuousClock.Instant) throws(BullaError) -> Event? {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            let (event, told) = try read()
            guard event == nil else { return event }
            try checkCompany()
            let newest = try core.metaWriter.awaitFollowing(told, until: deadline) {
                () throws(BullaError) in
                try core.log.durableCommit()
            }
            return newest == nil ? nil : try read().event
        }
    }

    /// Throws if no process can commit as long as this one has the store open.
    private func checkCompany() throws(BullaError) {
        guard !core.world.isShared, core.options.access != .readWrite else { return }
        throw BullaError(
            .readOnly,
            "wait for commits to \(core.parts.path): nobody can write to it while this process "
                + "reads it without a coordination file")
    }

    /// An event that is available at once, with the last commit that it covers; if there is none,
    /// `nil` and the commit that was delivered last.
    private func read() throws(BullaError) -> (event: Event?, told: UInt64) {
        let format = core.parts.header.format
        return try follower.withLock { follower throws(BullaError) in
            guard let found = try follower?.next() else { return (nil, follower?.told ?? 0) }
            switch found {
            case .changes(let commit, let content):
                return (.commit(CommittedChanges(commit: commit, content, format)), commit)
            case .gap(let after, let upTo): return (.gap(after: after, upTo: upTo), upTo)
            }
        }
    }
}

extension StoreChanges: AsyncSequence {
    /// Iterates over the events without blocking the threads that tasks share.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let changes: StoreChanges
        /// How long one call of `next(waitingAtMost:)` waits before the iterator makes another.
        private static let limit: Duration = .seconds(3600)

        fileprivate init(_ changes: StoreChanges) { self.changes = changes }

        /// The next event; `nil` if the task was cancelled, which the call notices within a fifth
        /// of a second.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BullaError) -> Event? {
            while !Task.isCancelled {
                if let event = try await changes.next(waitingAtMost: Self.limit) { return event }
            }
            return nil
        }

        /// The next event; `nil` if the task was cancelled.
        public mutating func next() async throws(BullaError) -> Event? {
            try await next(isolation: nil)
        }
    }

    /// An iterator over this object's events, which all readers of the object share.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Closing the store wipes the bytes that the object has read, and the keys with which the object
/// reads.
extension StoreChanges: StoreDependent {
    func endWithStore() {
        follower.withLock { follower in
            follower?.wipe()
            follower = nil
        }
    }
}
