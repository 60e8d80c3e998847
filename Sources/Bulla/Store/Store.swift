internal import Dispatch

/// An open store: named trees of keys and values in one file, shared by all processes that have it
/// open.
///
/// Reading sees a snapshot and never waits. Writing is one transaction at a time, whoever writes.
/// An encrypted store keeps plaintext in the memory of its process alone.
///
/// ```swift
/// let store = try Store.open(at: "orders.bulla", key: StoreKey(contentsOfFile: "orders.key"))
/// try store.write { change in
///     let orders = try change.createTree("orders")
///     try change.put("4711", "12 clay tablets", in: orders)
/// }
/// ```
public final class Store: Sendable {
    let core: StoreCore

    init(_ core: StoreCore) { self.core = core }

    /// Opens a store, and creates it where there is none, unless the options say otherwise.
    ///
    /// - Parameters:
    ///   - path: the file. Beside it, while anybody has it open, lies `path` + ".bulla-world".
    ///   - key: `nil` for a plain store. A store is encrypted from its creation, or not at all.
    ///   - options: what a new store is to be, and what an existing one must agree with.
    ///   - anchor: a moment that the store must not be older than, as ``anchor()`` gave it; a store
    ///     must be there then.
    /// - Throws: `wrongKey`, `encrypted`, `notEncrypted`, `notAStore`, `unsupportedFormat`,
    ///   `corrupted`, `rolledBack`, `optionMismatch`, `busy`, `poisoned`, `unsupportedFileSystem`,
    ///   `io`, `full`. A file that cannot be opened is not changed.
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
    /// Closing twice is harmless, and what is forgotten is closed when the last reference goes.
    /// Snapshots and cursors must have ended: a read that goes on meanwhile throws `closed`, and
    /// what a plain store lends at that moment may change under the closure that it is lent to.
    public func close() throws(BullaError) { try core.close() }

    /// The path that the store was opened at.
    public var path: String { core.parts.path }

    /// Runs `body` over a snapshot.
    ///
    /// - Throws: what `body` throws; `closed`, `usedAfterFork`, `readersFull`.
    /// - Complexity: the snapshot begins and ends without a system call.
    public func read<R>(
        _ visibility: Visibility = .durable, _ body: (borrowing Snapshot) throws -> R
    ) throws -> R {
        try body(try Snapshot(core, visibility))
    }

    /// Runs `body` over a snapshot, off the threads that tasks share.
    public func read<R: Sendable>(
        _ visibility: Visibility = .durable,
        _ body: @escaping @Sendable (borrowing Snapshot) throws -> R
    ) async throws -> R {
        try await core.reading.run { [self] in try body(try Snapshot(core, visibility)) }
    }

    /// A snapshot to be held.
    public func snapshot(_ visibility: Visibility = .durable) throws(BullaError) -> Snapshot {
        try Snapshot(core, visibility)
    }

    /// Runs `body` as a transaction, and commits what it did.
    ///
    /// When it throws, nothing has happened.
    ///
    /// - Throws: what `body` throws; `busy` when another writer took longer than the options' lock
    ///   timeout; what ``WriteTransaction/commit()`` throws.
    public func write<R>(
        durability: Durability = .full, _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        var transaction = try WriteTransaction(core, durability)
        let result = try body(&transaction)
        try transaction.commit()
        return result
    }

    /// Runs `body` as a transaction, off the threads that tasks share.
    ///
    /// Transactions of tasks follow each other without waiting for each other's flush.
    public func write<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        let (result, commit) = try await core.writing.run { [self] in
            var transaction = try WriteTransaction(core, durability)
            let result = try body(&transaction)
            return (result, try transaction.publish())
        }
        try await core.flushing.run { [self] in try core.settle(commit, durability) }
        return result
    }

    /// Runs `body` as a transaction that may share its commit with those of other threads.
    ///
    /// Where many threads make small changes this is several times faster than ``write(durability:_:)``: what they ask for at
    /// about the same time is sealed, written and flushed once. Each is still all or nothing: when
    /// `body` throws, what it changed is undone, and the others' changes stand.
    ///
    /// `body` runs once, possibly on another thread of those that wait here, after other bodies and
    /// before further ones. It must not wait for another change of the store: that may be one of
    /// those that wait for this one.
    ///
    /// - Throws: what `body` throws, and what ``write(durability:_:)`` throws. When the commit
    ///   fails, all who share it are told, and `busy` tells all who were waiting.
    public func groupWrite<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) throws -> R {
        try core.checkUse()
        let result = GroupResult<R>()
        let member = GroupMember(durability) { transaction in
            result.set(Result { try transaction.savepoint(body) })
        }
        core.group.run(member, core)
        return try result.get(member)
    }

    /// How many changes wait to share a commit.
    package var groupLineCount: Int { core.group.lineCount }

    /// Does the same off the threads that tasks share.
    public func groupWrite<R: Sendable>(
        durability: Durability = .full,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try await core.grouping.run { [self] in try groupWrite(durability: durability, body) }
    }

    /// A transaction to be held.
    ///
    /// Nobody else can write as long as it lives.
    public func beginWrite(durability: Durability = .full) throws(BullaError) -> WriteTransaction {
        try WriteTransaction(core, durability)
    }
}

extension DispatchQueue {
    /// Runs blocking work here, and resumes the task when it is done.
    fileprivate func run<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        let result: Result<R, E> = await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(E) in try body() }) }
        }
        return try result.get()
    }
}
