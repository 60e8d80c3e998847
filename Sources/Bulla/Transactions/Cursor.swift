internal import BullaMemory

/// A movable position in a tree.
///
/// A cursor keeps its snapshot's pages in the file, and lends entries in place.
///
/// Beyond what each verb names, all verbs throw `corrupted`, `snapshotExpired`, `io`,
/// `outOfMemory`, `closed` and `usedAfterFork`.
///
/// - Complexity: a move to an end or to a key visits one page for each level of the tree. A step
///   visits another page only at the end of a leaf. Both pass over keys that were deleted since the
///   last checkpoint.
public struct Cursor: ~Copyable {
    private let access: TreeAccess
    private var path: TreePath
    /// Whether the path stands on an entry; always `false` if ``changes`` is set, which has an
    /// entry of its own.
    private var isOnEntry = false
    /// Whether the cursor was never moved.
    private var isNew = true
    /// Replaces ``path`` if the log has changes for the tree.
    private let changes: ChangedPath?

    init(_ access: TreeAccess, _ root: TreeRoot, under changes: ChangedPath? = nil) {
        self.access = access
        path = TreePath(root)
        self.changes = changes
    }

    /// Moves to the smallest key; `false` if the tree is empty.
    public mutating func moveToFirst() throws(BullaError) -> Bool { try goToEnd(.ascending) }

    /// Moves to the greatest key; `false` if the tree is empty.
    public mutating func moveToLast() throws(BullaError) -> Bool { try goToEnd(.descending) }

    /// Moves to the first key that is not less than `key`; `false` if there is none.
    public mutating func seek(to key: some ByteSource) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                try access.core.entrance.checkAlive()
                if let changes {
                    isNew = false
                    return try changes.seek(to: key, access)
                }
                try operate { cursor throws(BullaError) in
                    try cursor.path.seek(cursor.access.pager, key)
                    try cursor.settle(.ascending)
                }
                return isOnEntry
            }
        }
    }

    /// Moves to the next greater key; `false` after the last one, where the cursor then stands on
    /// no entry.
    ///
    /// A cursor that was never moved goes to the smallest key, as ``moveToFirst()`` does. A cursor
    /// that has passed an end stays there until it moves to an end or to a key.
    public mutating func moveToNext() throws(BullaError) -> Bool { try step(.ascending) }

    /// Moves to the next smaller key; `false` before the first one, where the cursor then stands on
    /// no entry.
    ///
    /// A cursor that was never moved goes to the greatest key, as ``moveToLast()`` does.
    public mutating func moveToPrevious() throws(BullaError) -> Bool { try step(.descending) }

    private mutating func goToEnd(_ order: ScanOrder) throws(BullaError) -> Bool {
        try access.core.entrance.checkAlive()
        if let changes {
            isNew = false
            return try changes.goToEnd(order, access)
        }
        try operate { cursor throws(BullaError) in
            try cursor.path.goToEnd(cursor.access.pager, order)
            try cursor.settle(order)
        }
        return isOnEntry
    }

    private mutating func step(_ order: ScanOrder) throws(BullaError) -> Bool {
        guard isOnEntry, let leaf = path.leaf else { return try stepOtherwise(order) }
        try access.core.entrance.checkAlive()
        path.setLeafIndex(order == .ascending ? leaf.index + 1 : leaf.index - 1)
        try operate { cursor throws(BullaError) in try cursor.settle(order) }
        return isOnEntry
    }

    /// Steps if the path stands on no entry.
    @inline(never)
    private mutating func stepOtherwise(_ order: ScanOrder) throws(BullaError) -> Bool {
        if isNew { return try goToEnd(order) }
        try access.core.entrance.checkAlive()
        return try changes?.step(order, access) ?? false
    }

    /// Runs a move as one operation.
    private mutating func operate(
        _ move: (inout Cursor) throws(BullaError) -> Void
    ) throws(BullaError) {
        // After a move that fails half-way, the cursor stands on no entry.
        (isNew, isOnEntry) = (false, false)
        let access = access
        try access.claim.reading { () throws(BullaError) in
            try access.pager.operate { () throws(BullaError) in try move(&self) }
        }
    }

    /// Moves to another leaf if the path stands outside the entries of its leaf.
    private mutating func settle(_ order: ScanOrder) throws(BullaError) {
        while let leaf = path.leaf {
            let page = try access.pager.treePage(leaf.pointer, level: 0)
            isOnEntry = leaf.index >= 0 && leaf.index < page.count
            guard !isOnEntry, try path.nextLeaf(access.pager, order) else { return }
        }
    }
}

/// The entry on which the cursor stands.
extension Cursor {
    /// Lends the entry's key.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if the cursor stands on no entry.
    public func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withKey(access, body)
        }
        try access.core.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withKey(body) }
    }

    /// Lends the entry's value; a large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if the cursor stands on no entry;
    ///   `valueTooLarge` for a value above 16 MiB.
    public func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withValue(access, body)
        }
        try access.core.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withValue(body) }
    }

    /// The length of the entry's value in bytes.
    ///
    /// - Throws: `invalidArgument` if the cursor stands on no entry.
    public var valueByteCount: Int {
        get throws(BullaError) {
            guard isOnEntry, let leaf = path.leaf else {
                return try changed().valueByteCount(access)
            }
            try access.core.entrance.checkAlive()
            return try access.claim.reading { () throws(BullaError) in
                try LeafEntry(leaf, in: access.pager).valueByteCount()
            }
        }
    }

    /// The position under changes, which can stand on an entry even if ``path`` does not.
    @inline(never)
    private func changed() throws(BullaError) -> ChangedPath {
        try access.core.entrance.checkAlive()
        guard let changes else { throw .standsNowhere(access.core.parts.path) }
        return changes
    }
}

extension BullaError {
    /// The error of a cursor that reads an entry, but stands on none.
    static func standsNowhere(_ path: String) -> BullaError {
        BullaError(
            .invalidArgument,
            "read an entry of \(path): the cursor stands on none; move it to one first")
    }
}
