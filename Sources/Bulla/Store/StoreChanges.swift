internal import Dispatch
internal import Synchronization

/// What commits change, one commit after the other, of whichever process.
///
/// Made by ``Store/changes(since:)``. To be pulled from, with `next(waitingAtMost:)`, or gone
/// through with `for try await`. Each event is told once: several that pull from one object share
/// what it tells, and each that wants all of it makes an object of its own.
///
/// The events of one object follow each other without a hole: each ``Event/commit(_:)`` says all
/// that was changed since the event before it, and each ``Event/gap(after:upTo:)`` names the
/// commits between which that is not known. Numbers may be left out: a checkpoint at the last close
/// may have one, and changes nothing.
///
/// Like a snapshot, it keeps the store open while it is referenced. It holds up nobody: neither
/// writers nor checkpoints wait for it, and a follower that is too slow gets a gap.
public final class StoreChanges: Sendable {
    /// What is told next.
    public enum Event: Sendable {
        /// What a durable commit has changed.
        case commit(CommittedChanges)
        /// What came after one commit, up to another one and with it, is not known.
        ///
        /// The log was used again before it was read; or a commit went past the log, because it was
        /// too large, or sealed pages anew. Telling goes on with what comes after `upTo`.
        ///
        /// The caller can make a snapshot and compare
        /// (``Snapshot/forEachDifference(from:inTreeNamed:_:_:)``). A snapshot that is made now may
        /// be newer than `upTo`: it has what the events up to its ``Snapshot/commit`` tell.
        case gap(after: UInt64, upTo: UInt64)
    }

    private let core: StoreCore
    private let follower: Mutex<CommitFollower?>
    /// Where a task's pulls wait.
    private let queue = DispatchQueue(label: "bulla.changes", attributes: .concurrent)

    init(_ core: StoreCore, _ follower: consuming CommitFollower) {
        self.core = core
        self.follower = Mutex(consume follower)
        core.dependents.add(self)
    }

    deinit { core.releaseOutsideTasks() }

    /// The next event.
    ///
    /// - Parameter limit: how long it waits for one at most; asked not to wait, it tells what is
    ///   there.
    /// - Returns: `nil` where none came in that time.
    /// - Throws: `closed`, also when the store is closed here meanwhile; `poisoned` once all is
    ///   told that was durable before, and `readOnly` where nobody can commit, as the store is read
    ///   without a coordination file; `usedAfterFork`, `corrupted`, `io`, `outOfMemory`.
    /// - Complexity: reads and verifies the commit's frames, and holds the memory of one commit.
    ///   Waiting is sleeping, but for five looks a second; the process that commits wakes it.
    public func next(waitingAtMost limit: Duration = .zero) throws(BullaError) -> Event? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let event = try next(until: deadline) { return event }
            if ContinuousClock.now >= deadline { return nil }
        }
    }

    /// Does the same off the threads that tasks share; `nil` too when the task was cancelled.
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

    /// The next event, after one sleep at most; a store that is to be closed is kept open no longer
    /// than that.
    private func next(until deadline: ContinuousClock.Instant) throws(BullaError) -> Event? {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            let (event, told) = try read()
            guard event == nil else { return event }
            try checkCompany()
            let newest = try core.flusher.awaitFollowing(told, until: deadline) {
                () throws(BullaError) in
                try core.log.durableCommit()
            }
            return newest == nil ? nil : try read().event
        }
    }

    /// Refuses to wait where nobody can commit before the store is closed here.
    private func checkCompany() throws(BullaError) {
        guard !core.world.isShared, core.options.access != .readWrite else { return }
        throw BullaError(
            .readOnly,
            "wait for commits to \(core.parts.path): nobody can write to it before it is closed "
                + "here, where it is read without a coordination file")
    }

    /// What can be told at once, and the last commit that was told of.
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
    /// Goes through the events off the threads that tasks share.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let changes: StoreChanges
        /// How long one pull waits; then the next one does.
        private static let limit: Duration = .seconds(3600)

        fileprivate init(_ changes: StoreChanges) { self.changes = changes }

        /// The next event; `nil` when the task was cancelled, within a fifth of a second.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BullaError) -> Event? {
            while !Task.isCancelled {
                if let event = try await changes.next(waitingAtMost: Self.limit) { return event }
            }
            return nil
        }

        /// The next event, likewise.
        public mutating func next() async throws(BullaError) -> Event? {
            try await next(isolation: nil)
        }
    }

    /// An iterator that takes its events from this object, as others do.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// What it has read, and the keys that it reads with, end with the store.
extension StoreChanges: StoreDependent {
    func endWithStore() {
        follower.withLock { follower in
            follower?.wipe()
            follower = nil
        }
    }
}
