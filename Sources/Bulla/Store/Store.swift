internal import Dispatch
internal import Synchronization

/// An open store: named trees of keys and values in one file, which several processes can share.
///
/// A read sees a snapshot, and does not wait for writers. In all processes together, one
/// transaction writes at a time. Plaintext of an encrypted store exists only in the memory of
/// processes that have it open.
///
/// ```swift
/// let store = try Store.open(at: "orders.bulla", key: StoreKey(contentsOfFile: "orders.key"))
/// try store.write { change in
///     let orders = try change.openOrCreateTree(named: "orders")
///     try change.put("12 clay tablets", forKey: "4711", in: orders)
/// }
/// ```
public final class Store: Sendable {
    package let core: StoreCore
    /// Lets several threads share a commit.
    package let group = WriteGroup()

    init(_ core: StoreCore) { self.core = core }

    deinit { core.forget() }

    /// Opens a store, and creates it if there is none, unless the options say otherwise.
    ///
    /// - Parameters:
    ///   - path: the path of the file. While any process has the store open, the file `path` +
    ///     ".bulla-world" lies next to it.
    ///   - key: `nil` for a plain store. A store is encrypted from its creation, or not at all.
    ///   - options: how to open the store, and the properties of a new one, which an existing store
    ///     must match.
    ///   - anchor: a state from ``anchor``; a store that has lost that state is refused. With an
    ///     anchor, the store must exist.
    /// - Throws: `wrongKey`, `keySlotNotFound`, `passwordParameters`, `encrypted`, `notEncrypted`,
    ///   `notAStore`, `unsupportedFormat`, `corrupted`, `rolledBack`, `optionMismatch`,
    ///   `invalidArgument` for impossible options, and if the options demand a new file but one
    ///   exists; `busy`, `poisoned`, `unsupportedFileSystem`, `io`, `full`, `outOfMemory`. A file
    ///   that cannot be opened is not changed.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        notOlderThan anchor: Anchor? = nil
    ) throws(BullaError) -> Store {
        var options = options
        if anchor != nil {
            options.anchor = anchor
            options.creation = .never
        }
        return try open(at: path, key: key, options: options, storage: SystemStorage())
    }

    /// Opens a store on the files of a storage system, which tests can simulate.
    package static func open(
        at path: String, key: StoreKey?, options: StoreOptions, storage: any StorageSystem
    ) throws(BullaError) -> Store {
        let path = try storage.resolve(path)
        try FileNameLimit.check(path, for: options.creation == .exclusive ? .newStore : .world)
        return Store(
            try StoreOpening(path: path, key: key, options: options, storage: storage).open())
    }

    /// Opens a store without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        notOlderThan anchor: Anchor? = nil
    ) async throws(BullaError) -> Store {
        try await DispatchQueue(label: "bulla.open").run { () throws(BullaError) in
            try open(at: path, key: key, options: options, notOlderThan: anchor)
        }
    }

    /// Closes the store: flushes all published commits, and lets nothing else begin.
    ///
    /// Waits up to ``StoreOptions/lockTimeout`` for reads, closures and transactions under way, but
    /// not for a snapshot or cursor that no thread is using: the next call on it throws `closed`.
    /// Calls that other threads begin meanwhile wait for the outcome. Closing twice is harmless.
    ///
    /// An open store also closes when the last reference to it, or to its snapshots or vaults, is
    /// released. If a task releases that reference, another thread closes the store soon
    /// afterwards.
    ///
    /// A closed store leaves no plaintext and no keys in the process's memory, even while the
    /// store, snapshots, cursors and trees are still referenced. Values that belong to the caller
    /// stay: returned arrays and strings, a ``KeyRange``, and a ``StoreKey``, which holds its key
    /// as long as it is referenced.
    ///
    /// - Throws: `busy` if something is still under way after the timeout, and at once if the
    ///   calling thread itself reads or writes; `notYetDurable` if another process held the flush
    ///   lock for the whole timeout. After these the store stays open, and can be closed later.
    ///   After `io` and `poisoned` the store is closed, and its last published commits may not be
    ///   durable. A store that was poisoned before this call closes without an error; call
    ///   `waitUntilDurable(_:)` first to learn whether relaxed commits are durable.
    public func close() throws(BullaError) { try StoreClosing(core: core).close() }

    /// The file's absolute path, with symbolic links resolved.
    public var path: String { core.parts.path }

    /// Runs `body` on a snapshot.
    ///
    /// - Throws: what `body` and ``makeSnapshot(visibility:)`` throw.
    /// - Complexity: the snapshot begins and ends without a system call.
    public func read<R>(
        visibility: SnapshotVisibility = .durable, _ body: (borrowing Snapshot) throws -> R
    ) throws -> R {
        try core.entrance.using { try body(try Snapshot(core, visibility)) }
    }

    /// Runs `body` on a snapshot, without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func read<R: Sendable>(
        visibility: SnapshotVisibility = .durable,
        _ body: @escaping @Sendable (borrowing Snapshot) throws -> R
    ) async throws -> R {
        try await core.queues.reading.run { [self] in try read(visibility: visibility, body) }
    }

    /// Makes a snapshot that the caller holds.
    ///
    /// - Throws: `busy` if checkpoints of other processes overtake it for the whole of
    ///   ``StoreOptions/lockTimeout``; `readersFull`, `outOfMemory`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    public func makeSnapshot(
        visibility: SnapshotVisibility = .durable
    ) throws(BullaError) -> Snapshot {
        try Snapshot(core, visibility)
    }

    /// Runs `body` as a transaction, and commits its changes.
    ///
    /// If `body` throws, the store does not change. If the commit fails, the store does not change
    /// either, with these exceptions: after `notYetDurable` the commit stands, but the result of
    /// `body` is lost; after `poisoned`, `io`, `replaced`, `corrupted` and `outOfMemory` the commit
    /// may or may not stand.
    ///
    /// - Throws: what `body` throws; `busy` if another writer took longer than
    ///   ``StoreOptions/lockTimeout``, and at once inside another write of the same thread or task,
    ///   which would wait for itself; what ``beginWrite(durability:)`` and
    ///   `WriteTransaction.commit()` throw.
    @discardableResult
    public func write<R>(
        durability: Durability = .full, _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        try core.entrance.using {
            var transaction = try WriteTransaction(core, durability)
            let result = try body(&transaction)
            try transaction.commit()
            return result
        }
    }

    /// Runs `body` as a transaction, without blocking the threads that tasks share.
    ///
    /// A task's transaction can begin before the flush of another task's transaction has ended.
    ///
    /// - Throws: as the form that is not `async`; also `closed` if the store is closed between
    ///   commit and flush, in which case the commit may or may not stand.
    @discardableResult
    public func write<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try core.writerLock.checkTurn()
        let (result, commit) = try await core.queues.writing.run { [self] in
            var transaction = try WriteTransaction(core, durability)
            let result = try body(&transaction)
            return (result, try transaction.publish())
        }
        let start = ContinuousClock.now
        try await core.queues.flushing.run { [self] in
            try Settling(core: core).settle(commit, durability, since: start)
        }
        return result
    }

    /// Runs `body` as a transaction that can share one commit with transactions of other threads.
    ///
    /// Use this if many threads make small changes. Changes line up while one thread waits for its
    /// turn, and are then sealed, written and flushed together. Each change is still all or
    /// nothing: if `body` throws, its own changes are undone, and those of the others stand.
    ///
    /// `body` runs at most once, possibly on the thread of another caller in line. The bodies of
    /// threads that lined up later may run before it. `body` must not wait for another change of
    /// the store, or for anything that another thread does after its own `groupWrite`: that thread
    /// may be running this body, or may be waiting for the same commit.
    ///
    /// - Throws: what `body` throws, and what `write` throws. If the commit fails, all callers that
    ///   share it get the error. After `notYetDurable` the commit stands, and must not be made
    ///   again. `busy` if the wait in line, or the wait for the writer lock after it, exceeds
    ///   ``StoreOptions/lockTimeout``; the two waits can add up.
    @discardableResult
    public func groupWrite<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) throws -> R {
        try core.writerLock.checkTurn()
        let result = GroupResult<R>()
        let turn = DispatchSemaphore(value: 0)
        let member = GroupMember(
            durability, { result.run(body, in: &$0) }, wake: { _ in turn.signal() })
        try core.entrance.checkUse()
        if try group.join(member) || group.waitsToLead(member, turn, core) {
            let entry = try group.enter(member, by: core.entrance.enter)
            defer { core.entrance.leave(entry) }
            group.settle(try group.write(member, core), core)
        }
        return try result.get(member)
    }

    /// Runs `body` as a transaction that can share one commit with transactions of other tasks,
    /// without blocking the threads that tasks share.
    ///
    /// A task that waits in line holds no thread, and its wait has no time limit.
    @discardableResult
    public func groupWrite<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        let result = GroupResult<R>()
        try core.entrance.checkUse()
        try core.writerLock.checkTurn()
        let (member, isLeader) = await withCheckedContinuation { continuation in
            let member = GroupMember(durability, { result.run(body, in: &$0) }) { member in
                continuation.resume(returning: (member, member.isLeader))
            }
            if group.join(member) { continuation.resume(returning: (member, true)) }
        }
        if isLeader {
            let entry = try group.enter(member, by: core.entrance.enterForAnyThread)
            defer { core.entrance.leave(entry) }
            let written = try await core.queues.writing.run { [core, group] () throws(BullaError) in
                try group.write(member, core)
            }
            await core.queues.flushing.run { [core, group] in group.settle(written, core) }
        }
        return try result.get(member)
    }

    /// Begins a transaction that the caller holds.
    ///
    /// No other write can begin while it lives. If the same task (or, outside of tasks, the same
    /// thread) begins another write meanwhile, that write is refused at once with `busy`, because
    /// the task or thread would wait for itself.
    ///
    /// - Throws: `busy` if another writer took longer than ``StoreOptions/lockTimeout``;
    ///   `readOnly`, `poisoned`, `readersFull`, `outOfMemory`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    public func beginWrite(durability: Durability = .full) throws(BullaError) -> WriteTransaction {
        try WriteTransaction(core, durability)
    }
}
