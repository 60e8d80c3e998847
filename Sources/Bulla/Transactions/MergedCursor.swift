internal import BullaMemory

/// A position in a tree under memtables that can move: the verbs of a ``Cursor``.
///
/// It keeps its snapshot's pages alive, and lends entries in place. It holds no page between two
/// calls.
package struct MergedCursor: ~Copyable {
    private let access: TreeAccess
    private var path: MergedPath
    /// Whether it was never moved.
    private var isNew = true

    init(_ access: TreeAccess, _ path: consuming MergedPath) {
        self.access = access
        self.path = path
    }

    /// Moves to the smallest key; `false` where the tree is empty.
    package mutating func moveToFirst() throws(BullaError) -> Bool { try goToEnd(.ascending) }

    /// Moves to the greatest key; `false` where the tree is empty.
    package mutating func moveToLast() throws(BullaError) -> Bool { try goToEnd(.descending) }

    /// Moves to the first key that is not below `key`; `false` where there is none.
    package mutating func seek(to key: some ByteSource) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                try move { path, pager throws(BullaError) in try path.seek(pager, key) }
            }
        }
    }

    /// Moves to the next greater key; `false`, and nowhere, after the last one.
    ///
    /// A cursor that was never moved goes to the smallest key. One that went nowhere stays there
    /// until it is told where to go.
    package mutating func moveToNext() throws(BullaError) -> Bool { try step(.ascending) }

    /// Moves to the next smaller key; `false`, and nowhere, before the first one.
    ///
    /// A cursor that was never moved goes to the greatest key.
    package mutating func moveToPrevious() throws(BullaError) -> Bool { try step(.descending) }

    private mutating func goToEnd(_ order: ScanOrder) throws(BullaError) -> Bool {
        try move { path, pager throws(BullaError) in try path.goToEnd(pager, order) }
    }

    private mutating func step(_ order: ScanOrder) throws(BullaError) -> Bool {
        if isNew { return try goToEnd(order) }
        return try move { path, pager throws(BullaError) in try path.step(pager, order) }
    }

    private mutating func move(
        _ body: (inout MergedPath, Pager) throws(BullaError) -> Void
    ) throws(BullaError) -> Bool {
        try access.core.checkAlive()
        isNew = false
        let access = access
        try access.reading { () throws(BullaError) in try body(&path, access.pager) }
        return path.isOnEntry
    }

    /// Lends the entry's key.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere.
    package func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try withEntry({ page, index in
            try TreeAccess.callers { try page.key(index).withSpan(body) }
        }) { key, _ in try TreeAccess.callers { try key.withSpan(body) } }
    }

    /// Lends the entry's value; a large one as a copy.
    ///
    /// - Throws: what `body` throws; `invalidArgument` when the cursor stands nowhere;
    ///   `valueTooLarge` above 16 MiB.
    package func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try withEntry({ page, index in
            guard page.isLarge(index) else {
                return try TreeAccess.callers { try page.payload(index).withSpan(body) }
            }
            return try access.pager.lendWhole(LargeValue(page.payload(index))) { value in
                try TreeAccess.callers { try value.withSpan(body) }
            }
        }) { _, value in try TreeAccess.callers { try value.withSpan(body) } }
    }

    /// How many bytes the entry's value has.
    package var valueByteCount: Int {
        get throws(BullaError) {
            let leaf: TreePath.Step
            switch try entry() {
            case .change(_, let value): return value.byteCount
            case .leaf(let step): leaf = step
            }
            return try access.reading { () throws(BullaError) in
                try access.pager.operate { () throws(BullaError) in
                    let page = try access.pager.treePage(leaf.pointer, level: 0)
                    return Int(clamping: page.value(leaf.index).byteCount)
                }
            }
        }
    }

    private func entry() throws(BullaError) -> MergedPath.Entry {
        try access.core.checkAlive()
        guard let entry = path.entry else {
            throw BullaError(
                .invalidArgument,
                "read an entry of \(access.core.parts.path): the cursor stands on none; move it to "
                    + "one first")
        }
        return entry
    }

    private func withEntry<R>(
        _ stored: (TreePage, Int) throws -> R, _ changed: (ByteView, ByteView) throws -> R
    ) throws -> R {
        let entry = try entry()
        return try access.lending {
            switch entry {
            case .change(let key, let value): return try changed(key, value)
            case .leaf(let leaf):
                return try access.pager.lend(leaf.pointer, .leaf) { bytes in
                    let page = TreePage(bytes, .leaf)
                    try access.pager.checkLevel(page, leaf.pointer, .leaf, 0)
                    return try stored(page, leaf.index)
                }
            }
        }
    }
}
