internal import BullaMemory

/// A change in progress, which nobody else sees.
///
/// It ends exactly once: by `commit()`, or by going away, which discards it. While it lives no
/// other writer begins, in this process or another.
///
/// Beyond what each verb names, all that change something throw:
///
/// - what reading throws (``TreeReader``), `corrupted` included;
/// - `invalidArgument` after a change that failed half-way, outside of a savepoint;
/// - `busy` where the transaction outgrows the log, and somebody else changes the trees or flushes
///   for the whole of ``StoreOptions/lockTimeout``;
/// - `full`, `io`, `outOfMemory` and `poisoned`.
public struct WriteTransaction: ~Copyable, TreeReader {
    let access: TreeAccess
    let durability: Durability
    var turn: WriterTurn

    init(_ core: StoreCore, _ durability: Durability) throws(BullaError) {
        self.durability = durability
        turn = try WriterTurn(core)
        access = TreeAccess(core, turn.changes)
    }

    /// Stores a value under a key, in place of whatever the key had.
    ///
    /// - Throws: `keyTooLarge` when the key is empty or longer than a quarter of a page;
    ///   `valueTooLarge` above 4 GiB - 1; what every change throws.
    public mutating func put(
        _ value: some ByteSource, forKey key: some ByteSource, in tree: Tree
    ) throws(BullaError) {
        try key.withBytes { key throws(BullaError) in
            try value.withBytes { value throws(BullaError) in
                try put(value, forKey: key, in: tree)
            }
        }
    }

    /// Stores a value under a key, in place of whatever the key had.
    ///
    /// - Throws: as the form for other bytes.
    public mutating func put(
        _ value: RawSpan, forKey key: RawSpan, in tree: Tree
    ) throws(BullaError) {
        _ = try access.root(tree)
        try key.withView { key throws(BullaError) in
            try value.withView { value throws(BullaError) in
                try Limits.checkKey(key, access.pager.format, of: access.core.parts.path)
                try turn.change(adding: key.byteCount + value.byteCount) {
                    changes throws(BullaError) in
                    try changes.put(tree.index, key, value)
                }
            }
        }
    }

    /// Stores entries in the order of the list.
    ///
    /// - Throws: as for one entry; those before it were stored then.
    public mutating func put(
        _ entries: [(key: [UInt8], value: [UInt8])], in tree: Tree
    ) throws(BullaError) {
        for entry in entries { try put(entry.value, forKey: entry.key, in: tree) }
    }

    /// Stores a value under a key that is not there yet; `false`, and no change, where it is.
    ///
    /// - Throws: `keyTooLarge`, `valueTooLarge`, as `put` does; what every change throws.
    @discardableResult
    public mutating func insert(
        _ value: some ByteSource, forKey key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in
            try value.withBytes { value throws(BullaError) in
                try insert(value, forKey: key, in: tree)
            }
        }
    }

    /// Stores a value under a key that is not there yet; `false`, and no change, where it is.
    ///
    /// - Throws: `keyTooLarge`, `valueTooLarge`, as `put` does; what every change throws.
    @discardableResult
    public mutating func insert(
        _ value: RawSpan, forKey key: RawSpan, in tree: Tree
    ) throws(BullaError) -> Bool {
        guard try !contains(key, in: tree) else { return false }
        try put(value, forKey: key, in: tree)
        return true
    }

    /// Stores those entries whose keys are not there yet, and returns how many there were.
    ///
    /// - Throws: as for one entry; those before it were stored then.
    @discardableResult
    public mutating func insert(
        _ entries: [(key: [UInt8], value: [UInt8])], in tree: Tree
    ) throws(BullaError) -> Int {
        var count = 0
        for entry in entries where try insert(entry.value, forKey: entry.key, in: tree) {
            count += 1
        }
        return count
    }

    /// Removes a key, if it is there.
    ///
    /// - Throws: what every change throws; a key that none can have is merely not there.
    public mutating func delete(_ key: some ByteSource, in tree: Tree) throws(BullaError) {
        try key.withBytes { key throws(BullaError) in try delete(key, in: tree) }
    }

    /// Removes a key, if it is there.
    ///
    /// - Throws: what every change throws; a key that none can have is merely not there.
    public mutating func delete(_ key: RawSpan, in tree: Tree) throws(BullaError) {
        _ = try access.root(tree)
        try turn.checkWhole()
        guard access.pager.format.keyByteCounts ~= key.byteCount else { return }
        try key.withView { key throws(BullaError) in
            try turn.change(adding: key.byteCount) { changes throws(BullaError) in
                try changes.delete(tree.index, key)
            }
        }
    }

    /// Removes those keys of a list that are there.
    ///
    /// - Throws: as for one key; those before it were removed then.
    public mutating func delete(_ keys: [[UInt8]], in tree: Tree) throws(BullaError) {
        for key in keys { try delete(key, in: tree) }
    }

    /// Removes a key; `false` where it is not there.
    ///
    /// - Throws: what every change throws; a key that none can have is merely not there.
    public mutating func deleteIfPresent(
        _ key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in try deleteIfPresent(key, in: tree) }
    }

    /// Removes a key; `false` where it is not there.
    ///
    /// - Throws: what every change throws; a key that none can have is merely not there.
    public mutating func deleteIfPresent(
        _ key: RawSpan, in tree: Tree
    ) throws(BullaError) -> Bool {
        _ = try access.root(tree)
        try turn.checkWhole()
        guard access.pager.format.keyByteCounts ~= key.byteCount else { return false }
        return try key.withView { [access] key throws(BullaError) in
            try turn.change(adding: key.byteCount) { changes throws(BullaError) in
                if let pages = changes.direct?.pages {
                    return try pages.editor(of: tree.index).delete(key)
                }
                guard try access.contains(tree, key) else { return false }
                try changes.delete(tree.index, key)
                return true
            }
        }
    }

    /// Removes keys, and returns how many were there.
    ///
    /// - Throws: as for one key; those before it were removed then.
    public mutating func deleteIfPresent(
        _ keys: [[UInt8]], in tree: Tree
    ) throws(BullaError) -> Int {
        var count = 0
        for key in keys where try deleteIfPresent(key, in: tree) { count += 1 }
        return count
    }

    /// Removes every entry of a range, and returns how many there were.
    ///
    /// - Throws: what every change throws. Where a part of the range is gone by then, the
    ///   transaction can only be dropped, or put back to a savepoint.
    /// - Complexity: a look at each entry, and an operation for it, up to a quarter of the log;
    ///   from there on one way down the tree for each leaf of the range.
    @discardableResult
    public mutating func deleteRange(_ range: KeyRange, in tree: Tree) throws(BullaError) -> Int {
        _ = try access.root(tree)
        var count = 0
        do throws(BullaError) {
            // What the log is to say goes key by key, until it is too much for it.
            if turn.changes.direct == nil {
                let keys = try KeyList(of: tree, range, in: access, byteLimit: turn.changes.room)
                for key in keys.views {
                    try turn.change(adding: key.byteCount) { changes throws(BullaError) in
                        try changes.delete(tree.index, key)
                    }
                    count += 1
                }
                guard keys.isCut else { return count }
            }
            let pages = try turn.directChange().pages
            let rest = try turn.change { _ throws(BullaError) in
                try pages.editor(of: tree.index).deleteRange(range)
            }
            return count + Int(clamping: rest)
        } catch {
            // A part of the range is gone.
            if count > 0 { turn.isBroken = true }
            throw error
        }
    }

    /// Sets a key's value to `new` if it is `expected` now, where `nil` means that the key is not
    /// there.
    ///
    /// - Returns: whether it was as expected; if not, nothing changes.
    /// - Throws: as putting a value; `valueTooLarge` also where `expected` and the value are
    ///   both above 16 MiB.
    public mutating func compareAndSet(
        forKey key: some ByteSource, expected: [UInt8]?, new: [UInt8]?, in tree: Tree
    ) throws(BullaError) -> Bool {
        guard try has(key, expected, in: tree) else { return false }
        if let new {
            try put(new, forKey: key, in: tree)
        } else {
            try delete(key, in: tree)
        }
        return true
    }

    /// Compares all of a list, then sets all, in order.
    ///
    /// - Returns: whether all were as expected; if not, nothing changes.
    /// - Throws: as ``compareAndSet(forKey:expected:new:in:)``. Where some were set before, the
    ///   transaction can only be dropped, or put back to a savepoint.
    public mutating func compareAndSet(
        _ changes: [(key: [UInt8], expected: [UInt8]?, new: [UInt8]?)], in tree: Tree
    ) throws(BullaError) -> Bool {
        for change in changes where try !has(change.key, change.expected, in: tree) {
            return false
        }
        var count = 0
        do throws(BullaError) {
            for change in changes {
                if let new = change.new {
                    try put(new, forKey: change.key, in: tree)
                } else {
                    try delete(change.key, in: tree)
                }
                count += 1
            }
        } catch {
            // A part of the list is set.
            if count > 0 { turn.isBroken = true }
            throw error
        }
        return true
    }

    /// Runs `body` as a part of the transaction that can fail alone: when it throws, what it has
    /// changed is undone, and the transaction is what it was before.
    ///
    /// Savepoints can stand in each other. A tree that was opened in a part that was undone is
    /// refused afterwards with `treeNotFound`.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when a change in it failed half-way and
    ///   `body` took no notice.
    /// - Complexity: a page that was changed before the savepoint, and is changed again in it, is
    ///   copied in memory once; undoing reads and writes nothing. Until the outermost savepoint
    ///   ends, neither the memory of such pages nor the space of pages given up is used again.
    @discardableResult
    public mutating func withSavepoint<R>(
        _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        try turn.checkWhole()
        try turn.change { changes throws(BullaError) in
            guard let direct = changes.direct else { return }
            // What fails in the savepoint is to be its own.
            try direct.pages.writer.finish()
            // What is changed by now is frozen until the savepoint ends.
            guard !direct.pages.savepoints.isAnyOpen else { return }
            try ChangeSealing(change: direct).relieveMemory(above: direct.dirtyByteLimit / 2)
        }
        let scope = access.scope
        let savepoint = try turn.changes.beginSavepoint()
        do {
            let result = try body(&self)
            // Who put another transaction in the place of this one has it now, as it is.
            guard scope == access.scope else { return result }
            // A change that failed half-way does not stand, though the body took no notice.
            try turn.checkWhole()
            try turn.changes.direct?.pages.writer.finish()
            turn.changes.end(savepoint)
            return result
        } catch {
            guard scope == access.scope else { throw error }
            turn.rollBack(to: savepoint)
            throw error
        }
    }

    /// Whether another writer waits for the end of this transaction, in whatever process.
    ///
    /// It may say so where none does.
    package var isAwaited: Bool { turn.core.writerLock.isAwaited }

    /// Makes the change seen, and durable as was asked when it began.
    ///
    /// - Returns: the commit's number; the newest commit's where nothing was changed.
    /// - Throws: `full`; `busy`; `invalidArgument` where an earlier change in it failed half-way;
    ///   `usedAfterFork`: then nothing has happened. After `poisoned`, `io`, `replaced`,
    ///   `corrupted`, `outOfMemory` and `closed` it is not known whether the commit stands.
    ///   `notYetDurable`: the change is made and seen, but somebody else held the flush lock for
    ///   the whole of ``StoreOptions/lockTimeout``; it must not be made again, and
    ///   `Store.waitUntilDurable(_:)` waits for it. Where nothing was changed, the commit that this
    ///   transaction looked at is the one that is not yet durable.
    @discardableResult
    public consuming func commit() throws(BullaError) -> UInt64 {
        let commit = try turn.publish(durability)
        try Settling(core: turn.core).settle(commit, durability)
        return commit
    }

    /// The right to write, which another thread is to end.
    consuming func takeTurn() -> WriterTurn { turn }

    /// Makes the change seen by other writers, without waiting for its flush.
    consuming func publish() throws(BullaError) -> UInt64 { try turn.publish(durability) }
}

extension TreeReader where Self: ~Copyable {
    /// Whether a key has this value, or `nil`: is not there.
    fileprivate func has(
        _ key: some ByteSource, _ expected: [UInt8]?, in tree: Tree
    ) throws(BullaError) -> Bool {
        do {
            let isAsExpected = try withValue(forKey: key, in: tree) { value in
                value.withView { value in expected?.withView { $0 == value } ?? false }
            }
            return isAsExpected ?? (expected == nil)
        } catch {
            let error = error as? BullaError ?? BullaError(.io, "compare a value: \(error)")
            let isShorter = expected?.count ?? 0 <= Int(PageFormat.lentValueByteLimit)
            // A value that is too long to be lent is another one than a shorter one.
            if error.code == .valueTooLarge, isShorter { return false }
            throw error
        }
    }
}
