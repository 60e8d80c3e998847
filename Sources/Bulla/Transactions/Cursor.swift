internal import BullaMemory

/// A position in a tree that can move.
///
/// It keeps its snapshot's pages alive, and lends entries in place.
public struct Cursor: ~Copyable {
    private let access: TreeAccess
    private var path: TreePath
    private var isOnEntry = false
    /// Whether it was never moved.
    private var isNew = true

    init(_ access: TreeAccess, _ root: TreeRoot) {
        self.access = access
        path = TreePath(root)
    }

    /// Moves to the smallest key; `false` where the tree is empty.
    public mutating func moveToFirst() throws(BullaError) -> Bool { try goToEnd(.ascending) }

    /// Moves to the greatest key; `false` where the tree is empty.
    public mutating func moveToLast() throws(BullaError) -> Bool { try goToEnd(.descending) }

    /// Moves to the first key that is not below `key`; `false` where there is none.
    public mutating func seek(to key: some ByteSource) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                try access.core.checkAlive()
                try operate { cursor throws(BullaError) in
                    try cursor.path.seek(cursor.access.pager, key)
                    try cursor.settle(.ascending)
                }
            }
        }
        return isOnEntry
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
        try access.core.checkAlive()
        try operate { cursor throws(BullaError) in
            try cursor.path.goToEnd(cursor.access.pager, order)
            try cursor.settle(order)
        }
        return isOnEntry
    }

    private mutating func step(_ order: ScanOrder) throws(BullaError) -> Bool {
        if isNew { return try goToEnd(order) }
        try access.core.checkAlive()
        guard isOnEntry, let leaf = path.leaf else { return false }
        path.setLeafIndex(order == .ascending ? leaf.index + 1 : leaf.index - 1)
        try operate { cursor throws(BullaError) in try cursor.settle(order) }
        return isOnEntry
    }

    /// Runs a move as one operation.
    private mutating func operate(
        _ move: (inout Cursor) throws(BullaError) -> Void
    ) throws(BullaError) {
        isNew = false
        let access = access
        try access.reading { () throws(BullaError) in
            try access.pager.operate { () throws(BullaError) in try move(&self) }
        }
    }

    /// Goes on to another leaf where the path stands outside the entries of its own.
    private mutating func settle(_ order: ScanOrder) throws(BullaError) {
        isOnEntry = false
        while let leaf = path.leaf {
            let page = try access.pager.treePage(leaf.pointer, level: 0)
            isOnEntry = leaf.index >= 0 && leaf.index < page.count
            guard !isOnEntry, try path.nextLeaf(access.pager, order) else { return }
        }
    }

    /// Lends the entry's key.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere.
    public func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try withEntry { page, index in
            try TreeAccess.callers { try page.key(index).withSpan(body) }
        }
    }

    /// Lends the entry's value; a large one as a copy.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere;
    ///   `valueTooLarge` above 16 MiB.
    public func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try withEntry { page, index in
            guard page.isLarge(index) else {
                return try TreeAccess.callers { try page.payload(index).withSpan(body) }
            }
            return try access.pager.lendWhole(LargeValue(page.payload(index))) { value in
                try TreeAccess.callers { try value.withSpan(body) }
            }
        }
    }

    /// How many bytes the entry's value has.
    public var valueByteCount: Int {
        get throws(BullaError) {
            let (pointer, index) = try entry()
            return try access.reading { () throws(BullaError) in
                try access.pager.operate { () throws(BullaError) in
                    let page = try access.pager.treePage(pointer, level: 0)
                    return page.isLarge(index)
                        ? Int(clamping: LargeValue(page.payload(index)).byteCount)
                        : page.payload(index).byteCount
                }
            }
        }
    }

    private func entry() throws(BullaError) -> (PagePointer, Int) {
        try access.core.checkAlive()
        guard isOnEntry, let leaf = path.leaf else {
            throw BullaError(
                .invalidArgument,
                "read an entry of \(access.core.parts.path): the cursor stands on none; move it to "
                    + "one first")
        }
        return (leaf.pointer, leaf.index)
    }

    private func withEntry<R>(_ body: (TreePage, Int) throws -> R) throws -> R {
        let (pointer, index) = try entry()
        return try access.lending {
            try access.pager.lend(pointer, .leaf) { bytes in
                let page = TreePage(bytes, .leaf)
                try access.pager.checkLevel(page, pointer, .leaf, 0)
                return try body(page, index)
            }
        }
    }
}
