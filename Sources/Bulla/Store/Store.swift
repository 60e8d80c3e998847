internal import Dispatch
internal import Synchronization

/// An open store: named trees of keys and values in one file, shared by all processes that have it
/// open.
///
/// Reading sees a snapshot and never waits. Writing is one transaction at a time, whoever writes.
/// An encrypted store keeps plaintext in the memory of its process alone.
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
    /// Changes of several threads that share a commit.
    package let group = WriteGroup()

    init(_ core: StoreCore) { self.core = core }

    deinit { core.forget() }

    /// Opens a store, and creates it where there is none, unless the options say otherwise.
    ///
    /// - Parameters:
    ///   - path: the file. Beside it, while anybody has it open, lies `path` + ".bulla-world".
    ///   - key: `nil` for a plain store. A store is encrypted from its creation, or not at all.
    ///   - options: what a new store is to be, and what an existing one must agree with.
    ///   - anchor: a moment that the store must not be older than, as ``anchor`` gave it; a store
    ///     must be there then.
    /// - Throws: `wrongKey`, `keySlotNotFound`, `passwordParameters`, `encrypted`, `notEncrypted`,
    ///   `notAStore`, `unsupportedFormat`, `corrupted`, `rolledBack`, `optionMismatch`,
    ///   `invalidArgument` for options that cannot be, and where a file is there that was to be
    ///   created; `busy`, `poisoned`, `unsupportedFileSystem`, `io`, `full`, `outOfMemory`. A file
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

    /// Opens a store over files that may be simulated.
    package static func open(
        at path: String, key: StoreKey?, options: StoreOptions, storage: any StorageSystem
    ) throws(BullaError) -> Store {
        let path = try storage.resolve(path)
        try FileNameLimit.check(path, for: options.creation == .always ? .newStore : .world)
        return Store(
            try StoreOpening(path: path, key: key, options: options, storage: storage).open())
    }

    /// Opens a store without blocking the threads that tasks share.
    public static func open(
        at path: String, key: StoreKey? = nil, options: StoreOptions = StoreOptions(),
        notOlderThan anchor: Anchor? = nil
    ) async throws(BullaError) -> Store {
        try await DispatchQueue(label: "bulla.open").run { () throws(BullaError) in
            try open(at: path, key: key, options: options, notOlderThan: anchor)
        }
    }

    /// Closes the store: what was published is flushed, and nothing can be begun any more.
    ///
    /// Waits for reads, closures and transactions that are under way, up to the options' lock
    /// timeout; what other threads begin meanwhile waits for what comes of it. Snapshots and
    /// cursors that are merely held end: their next verb throws `closed`. Closing twice is
    /// harmless.
    ///
    /// A store that is forgotten is closed when the last reference to it, or to a snapshot or a
    /// vault of it, goes. Where that happens in a task, another thread closes it soon afterwards.
    ///
    /// Once the file was given up, no plaintext and no key of the store is
    /// left in the process's memory, though the store, snapshots, cursors and trees are still
    /// referenced. What the caller was given or has made stays the caller's: arrays and strings
    /// that verbs returned, a ``KeyRange``, and a ``StoreKey``, which keeps its key as long as it
    /// is referenced.
    ///
    /// - Throws: `busy` when something is still under way after the timeout, or at once when it is
    ///   this very thread that reads or writes; `notYetDurable` when another process held the flush
    ///   lock for the whole timeout: the store stays open, and can be closed again. `io`,
    ///   `poisoned`: the store is closed, and what was published last may not be durable.
    ///   A store that is known to be poisoned closes without an error; wait with
    ///   `waitUntilDurable(_:)` to learn what became of relaxed commits.
    public func close() throws(BullaError) { try StoreClosing(core: core).close() }

    /// The file's whole path, symbolic links resolved.
    public var path: String { core.parts.path }

    /// Runs `body` over a snapshot.
    ///
    /// - Throws: what `body` throws; what ``makeSnapshot(visibility:)`` throws.
    /// - Complexity: the snapshot begins and ends without a system call.
    public func read<R>(
        visibility: Visibility = .durable, _ body: (borrowing Snapshot) throws -> R
    ) throws -> R {
        try core.entrance.using { try body(try Snapshot(core, visibility)) }
    }

    /// Runs `body` over a snapshot, off the threads that tasks share.
    public func read<R: Sendable>(
        visibility: Visibility = .durable,
        _ body: @escaping @Sendable (borrowing Snapshot) throws -> R
    ) async throws -> R {
        try await core.queues.reading.run { [self] in try read(visibility: visibility, body) }
    }

    /// Makes a snapshot to be held.
    ///
    /// - Throws: `busy` where checkpoints of others overtake it for the whole of
    ///   ``StoreOptions/lockTimeout``; `readersFull`, `outOfMemory`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    public func makeSnapshot(
        visibility: Visibility = .durable
    ) throws(BullaError) -> Snapshot {
        try Snapshot(core, visibility)
    }

    /// Runs `body` as a transaction, and commits what it did.
    ///
    /// When `body` throws, nothing has happened. When the commit fails, nothing has happened
    /// either, but for these errors: after `notYetDurable` the commit stands, and what `body` gave
    /// is lost with it; after `poisoned`, `io`, `replaced`, `corrupted` and `outOfMemory` it is not
    /// known whether it stands.
    ///
    /// - Throws: what `body` throws; `busy` when another writer took longer than the options' lock
    ///   timeout, and at once inside of another write of the same thread or task, which it would
    ///   wait for; what `WriteTransaction.commit` throws.
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

    /// Runs `body` as a transaction, off the threads that tasks share.
    ///
    /// Transactions of tasks follow each other without waiting for each other's flush.
    ///
    /// - Throws: as the form that is not `async`; also `closed` when the store is closed between
    ///   commit and flush: then it is not known whether the commit stands.
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

    /// Runs `body` as a transaction that may share its commit with those of other threads.
    ///
    /// For many threads that make small changes: what they ask for while one of them waits for its
    /// turn is sealed, written and flushed once. Each change is still all or nothing: when `body`
    /// throws, what it changed is undone, and what the others changed stands.
    ///
    /// `body` runs once, possibly on another of the threads that wait here, after some of the other
    /// bodies and before the rest, which may have been asked for while the first were running. It
    /// must not wait for another change of the store, nor for what another thread does after its
    /// own: that thread may be the one that runs this body, or wait for it.
    ///
    /// - Throws: what `body` throws, and what `write` throws. When the commit fails, or is not yet
    ///   durable (`notYetDurable`: it stands, and must not be made again), all who share it are
    ///   told. `busy` when the wait in line, or the leader's wait for the lock, exceeds
    ///   ``StoreOptions/lockTimeout``; the two add up.
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

    /// Does the same off the threads that tasks share.
    ///
    /// A task that waits in the line holds no thread, and waits as long as it takes.
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

    /// Begins a transaction to be held.
    ///
    /// Nobody else can write as long as it lives. The task that began it, or the thread outside of
    /// tasks, is refused another write meanwhile, at once and with `busy`: it would wait for
    /// itself.
    ///
    /// - Throws: `busy` when another writer took longer than ``StoreOptions/lockTimeout``;
    ///   `readOnly`, `poisoned`, `readersFull`, `outOfMemory`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    public func beginWrite(durability: Durability = .full) throws(BullaError) -> WriteTransaction {
        try WriteTransaction(core, durability)
    }
}
