internal import BullaMemory

/// A write transaction in progress, whose changes only the transaction itself can read.
///
/// It ends exactly once: `commit()` commits it, or its destruction discards it. While it lives, no
/// other write can begin, in this process or another.
///
/// Besides the errors that its own documentation names, each method that changes something throws:
///
/// - what reading throws (``TreeReader``), including `corrupted`;
/// - `invalidArgument` after an earlier change failed half-way, until a savepoint undoes it;
/// - `busy` if the transaction outgrows the log, and another thread or process changes the trees or
///   flushes for the whole of ``StoreOptions/lockTimeout``;
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

    /// Stores a value under a key, and replaces any former value.
    ///
    /// - Throws: `keyTooLarge` if the key is empty or longer than a quarter of a page;
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

    /// Stores a value under a key, and replaces any former value.
    ///
    /// - Throws: as the form that takes a ``ByteSource``.
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

    /// Stores entries, in the order of the list.
    ///
    /// - Throws: as for one entry; the entries before the one that fails stay stored.
    public mutating func put(
        _ entries: [(key: [UInt8], value: [UInt8])], in tree: Tree
    ) throws(BullaError) {
        for entry in entries { try put(entry.value, forKey: entry.key, in: tree) }
    }

    /// Stores a value under a key that has none yet; `false`, without a change, if it has one.
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

    /// Stores a value under a key that has none yet; `false`, without a change, if it has one.
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

    /// Stores the entries whose keys are not in the tree yet, and returns how many it stored.
    ///
    /// - Throws: as for one entry; the entries before the one that fails stay stored.
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
    /// - Throws: what every change throws; a key of an impossible length counts as missing.
    public mutating func delete(_ key: some ByteSource, in tree: Tree) throws(BullaError) {
        try key.withBytes { key throws(BullaError) in try delete(key, in: tree) }
    }

    /// Removes a key, if it is there.
    ///
    /// - Throws: what every change throws; a key of an impossible length counts as missing.
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

    /// Removes the keys of a list, if they are in the tree.
    ///
    /// - Throws: as for one key; the keys before the one that fails stay removed.
    public mutating func delete(_ keys: [[UInt8]], in tree: Tree) throws(BullaError) {
        for key in keys { try delete(key, in: tree) }
    }

    /// Removes a key; `false` if it is missing.
    ///
    /// - Throws: what every change throws; a key of an impossible length counts as missing.
    public mutating func deleteIfPresent(
        _ key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in try deleteIfPresent(key, in: tree) }
    }

    /// Removes a key; `false` if it is missing.
    ///
    /// - Throws: what every change throws; a key of an impossible length counts as missing.
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

    /// Removes keys, and returns how many were in the tree.
    ///
    /// - Throws: as for one key; the keys before the one that fails stay removed.
    public mutating func deleteIfPresent(
        _ keys: [[UInt8]], in tree: Tree
    ) throws(BullaError) -> Int {
        var count = 0
        for key in keys where try deleteIfPresent(key, in: tree) { count += 1 }
        return count
    }

    /// Removes every entry of a range, and returns how many it removed.
    ///
    /// - Throws: what every change throws. If an error occurs after a part of the range was
    ///   removed, the transaction can only be discarded, or return to a savepoint.
    /// - Complexity: visits each entry and logs an operation for it, until the operations fill a
    ///   quarter of the log; from there on, one descent of the tree for each leaf of the range.
    @discardableResult
    public mutating func deleteRange(_ range: KeyRange, in tree: Tree) throws(BullaError) -> Int {
        _ = try access.root(tree)
        var count = 0
        do throws(BullaError) {
            // The log names each deleted key, until the keys are too many for it.
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
            // A part of the range is already removed.
            if count > 0 { turn.isBroken = true }
            throw error
        }
    }

    /// Sets a key's value to `new` if the current value is `expected`; `nil` stands for a missing
    /// key.
    ///
    /// - Returns: whether the value was as expected; if not, nothing changes.
    /// - Throws: as `put`; also `valueTooLarge` if `expected` and the current value are both above
    ///   16 MiB.
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

    /// Compares the values of all keys of a list, and sets them, in order, only if all are as
    /// expected.
    ///
    /// - Returns: whether all values were as expected; if not, nothing changes.
    /// - Throws: as ``compareAndSet(forKey:expected:new:in:)``. If an error occurs after some
    ///   values were set, the transaction can only be discarded, or return to a savepoint.
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
            // A part of the list is already set.
            if count > 0 { turn.isBroken = true }
            throw error
        }
        return true
    }

    /// Runs `body` as a part of the transaction that can fail by itself.
    ///
    /// If `body` throws, its changes are undone, and the transaction is as it was before.
    ///
    /// Savepoints can be nested. Once a savepoint is undone, handles to trees that were opened in
    /// it are refused with `treeNotFound`.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if a change in it failed half-way and `body`
    ///   ignored the error.
    /// - Complexity: a page that was changed before the savepoint, and is changed again in it, is
    ///   copied in memory once. Undoing reads and writes nothing. Until the outermost savepoint
    ///   ends, neither the memory of such pages nor the space of freed pages is reused.
    @discardableResult
    public mutating func withSavepoint<R>(
        _ body: (inout WriteTransaction) throws -> R
    ) throws -> R {
        try turn.checkWhole()
        try turn.change { changes throws(BullaError) in
            guard let direct = changes.direct else { return }
            // Finish earlier writes first, so that an error inside the savepoint comes from its own
            // changes.
            try direct.pages.writer.finish()
            // The savepoint freezes the pages changed so far, which then cannot be sealed until it
            // ends. So seal some of them now, if they take much memory.
            guard !direct.pages.savepoints.isAnyOpen else { return }
            try ChangeSealing(change: direct).relieveMemory(above: direct.dirtyByteLimit / 2)
        }
        let scope = access.scope
        let savepoint = try turn.changes.beginSavepoint()
        do {
            let result = try body(&self)
            // If `body` replaced this transaction with another one, leave that one as it is.
            guard scope == access.scope else { return result }
            // If a change failed half-way, throw even if `body` ignored the error, so that the
            // `catch` below undoes the changes.
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

    /// Whether another writer, in any process, seems to be waiting for the end of this transaction.
    ///
    /// It can be `true` even if no writer is waiting.
    package var isAwaited: Bool { turn.core.writerLock.isAwaited }

    /// Commits the transaction with the durability that it began with.
    ///
    /// - Returns: the number of the commit, or of the newest commit if nothing was changed.
    /// - Throws: `full`, `busy`, `usedAfterFork`, and `invalidArgument` if an earlier change failed
    ///   half-way. After these errors, nothing has changed. After `poisoned`, `io`, `replaced`,
    ///   `corrupted`, `outOfMemory` and `closed`, the commit may or may not stand. After
    ///   `notYetDurable` the commit stands, and later commits build on it, but another process held
    ///   the flush lock for the whole of ``StoreOptions/lockTimeout``. Do not make the changes
    ///   again; `Store.waitUntilDurable(_:)` waits for it. If nothing was changed, `notYetDurable`
    ///   means that the commit which the transaction read is not durable yet.
    @discardableResult
    public consuming func commit() throws(BullaError) -> UInt64 {
        let commit = try turn.publish(durability)
        try Settling(core: turn.core).settle(commit, durability)
        return commit
    }

    /// Hands over the right to write, so that another thread can end the transaction.
    consuming func takeTurn() -> WriterTurn { turn }

    /// Makes the changes visible to others, without waiting for the flush.
    consuming func publish() throws(BullaError) -> UInt64 { try turn.publish(durability) }
}

extension TreeReader where Self: ~Copyable {
    /// Whether a key has the value `expected`; if that is `nil`, whether the key is missing.
    fileprivate func has(
        _ key: some ByteSource, _ expected: [UInt8]?, in tree: Tree
    ) throws(BullaError) -> Bool {
        do {
            let isAsExpected = try withValue(forKey: key, in: tree) { value in
                value.withView { value in expected?.withView { $0 == value } ?? false }
            }
            return isAsExpected ?? (expected == nil)
        } catch {
            let error = BullaError(error, during: "compare a value")
            let isShorter = expected?.count ?? 0 <= Int(PageFormat.lentValueByteLimit)
            // The value is too long to lend, and `expected` is shorter, so they differ.
            if error.code == .valueTooLarge, isShorter { return false }
            throw error
        }
    }
}
