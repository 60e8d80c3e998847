internal import BullaMemory

/// A position in a tree that can move.
///
/// It keeps its snapshot's pages alive, and lends entries in place.
public struct Cursor: ~Copyable {
    private let access: TreeAccess
    private var path: TreePath
    /// Whether the path stands on an entry; always `false` where ``changes`` is set, which has an
    /// entry of its own.
    private var isOnEntry = false
    /// Whether it was never moved.
    private var isNew = true
    /// The way that it goes in place of ``path`` where the log says something of the tree.
    private let changes: ChangedPath?

    init(_ access: TreeAccess, _ root: TreeRoot, under changes: ChangedPath? = nil) {
        self.access = access
        path = TreePath(root)
        self.changes = changes
    }

    /// Moves to the smallest key; `false` where the tree is empty.
    public mutating func moveToFirst() throws(BullaError) -> Bool { try goToEnd(.ascending) }

    /// Moves to the greatest key; `false` where the tree is empty.
    public mutating func moveToLast() throws(BullaError) -> Bool { try goToEnd(.descending) }

    /// Moves to the first key that is not below `key`; `false` where there is none.
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

    /// Moves to the next greater key; `false`, and nowhere, after the last one.
    ///
    /// A cursor that was never moved goes to the smallest key, as ``moveToFirst()`` does. One that
    /// went nowhere stays there until it is told where to go.
    public mutating func moveToNext() throws(BullaError) -> Bool { try step(.ascending) }

    /// Moves to the next smaller key; `false`, and nowhere, before the first one.
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

    /// Where the path stands on no entry.
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
        // A move that fails half-way stands on no entry.
        (isNew, isOnEntry) = (false, false)
        let access = access
        try access.claim.reading { () throws(BullaError) in
            try access.pager.operate { () throws(BullaError) in try move(&self) }
        }
    }

    /// Goes on to another leaf where the path stands outside the entries of its own.
    private mutating func settle(_ order: ScanOrder) throws(BullaError) {
        while let leaf = path.leaf {
            let page = try access.pager.treePage(leaf.pointer, level: 0)
            isOnEntry = leaf.index >= 0 && leaf.index < page.count
            guard !isOnEntry, try path.nextLeaf(access.pager, order) else { return }
        }
    }
}

/// What it stands on.
extension Cursor {
    /// Lends the entry's key.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere.
    public func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withKey(access, body)
        }
        try access.core.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withKey(body) }
    }

    /// Lends the entry's value; a large one as a copy.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere;
    ///   `valueTooLarge` above 16 MiB.
    public func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withValue(access, body)
        }
        try access.core.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withValue(body) }
    }

    /// How many bytes the entry's value has.
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

    /// The way under changes, which may stand on an entry where ``path`` does not.
    @inline(never)
    private func changed() throws(BullaError) -> ChangedPath {
        try access.core.entrance.checkAlive()
        guard let changes else { throw .standsNowhere(access.core.parts.path) }
        return changes
    }
}

extension BullaError {
    /// Of a cursor that is to read where it stands.
    static func standsNowhere(_ path: String) -> BullaError {
        BullaError(
            .invalidArgument,
            "read an entry of \(path): the cursor stands on none; move it to one first")
    }
}
