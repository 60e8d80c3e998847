internal import BullaMemory

/// What a snapshot reads when memtables stand above its trees.
///
/// The verbs of a ``Snapshot``, each of which asks the memtables first. The versions that the pair
/// names must be held as long as it lives, and its cursors.
package struct MergedSnapshot: ~Copyable {
    let access: TreeAccess
    let changes: MemtablePair
    /// Told when a scan or a cursor has passed thousands of tombstones in a row.
    package var reportTombstones: (() -> Void)?

    package init(_ snapshot: borrowing Snapshot, under changes: MemtablePair) {
        access = snapshot.access
        self.changes = changes
    }

    /// A tree that the memtables alone know, by its number.
    package func tree(number: UInt64) -> Tree {
        Tree(root: .empty(number: number), scope: access.scope)
    }

    /// A cursor over a tree, standing nowhere yet: its first step leads to an end of the tree.
    package func makeCursor(in tree: Tree) throws(BullaError) -> MergedCursor {
        let root = try access.root(tree)
        return MergedCursor(
            access, MergedPath(root, under: changes, reportTombstones: reportTombstones))
    }
}

/// What ``TreeReader`` asks for, which says more of each verb.
extension MergedSnapshot: TreeReader {
    package func tree(named name: RawSpan) throws(BullaError) -> Tree {
        try name.withView { name throws(BullaError) in try access.existingTree(named: name) }
    }

    package func treeIfPresent(named name: RawSpan) throws(BullaError) -> Tree? {
        try name.withView { name throws(BullaError) in try access.tree(named: name) }
    }

    package func forEachTree(_ body: (RawSpan, Tree) throws -> Void) throws {
        try access.forEachTree { name, tree in try name.withSpan { try body($0, tree) } }
    }

    /// How many entries a tree has: not in constant time where the memtables say something of it.
    package func count(of tree: Tree) throws(BullaError) -> Int {
        let root = try access.root(tree)
        return try access.reading { () throws(BullaError) in
            Int(clamping: try access.pager.count(root, under: changes))
        }
    }

    /// What the tree beneath the memtables is made of.
    package func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics {
        try access.statistics(of: tree)
    }

    package func value(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try reading(tree, key) { root, key throws(BullaError) in
            try access.pager.copyValue(root, under: changes, key)
        }
    }

    package func values(forKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [[UInt8]?] {
        let root = try access.root(tree)
        return try access.reading { () throws(BullaError) in
            try access.pager.copyValues(root, under: changes, keys)
        }
    }

    package func withValue<R>(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        let root = try access.root(tree)
        return try key.withView { key in
            try access.lending {
                try access.pager.lendValue(root, under: changes, key) { value in
                    try TreeAccess.callers { try value.withSpan(body) }
                }
            }
        }
    }

    package func contains(_ key: RawSpan, in tree: Tree) throws(BullaError) -> Bool {
        try reading(tree, key) { root, key throws(BullaError) in
            try access.pager.contains(root, under: changes, key)
        }
    }

    package func valueByteCount(
        forKey key: RawSpan, in tree: Tree
    ) throws(BullaError) -> Int? {
        try reading(tree, key) { root, key throws(BullaError) in
            try access.pager.valueByteCount(root, under: changes, key).map { Int(clamping: $0) }
        }
    }

    package func readValue(
        forKey key: RawSpan, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        try access.checkOffset(offset)
        guard let value = try found(tree, key) else { return nil }
        return try access.readValue(value, at: offset, into: &buffer)
    }

    package func streamValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        guard let value = try found(tree, key) else { return false }
        try access.stream(value, body)
        return true
    }

    package func scan(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws {
        let root = try access.root(tree)
        let scan = MergedScan(
            tree: TreeScan(
                source: access.pager, root: root, range: range, order: order,
                checkUse: access.checkClaimAfterLeaf),
            changes: changes, reportTombstones: reportTombstones)
        try access.lending {
            try scan.run { key, value in
                try TreeAccess.callers {
                    try key.withSpan { key in try value.withSpan { value in try body(key, value) } }
                }
            }
        }
    }

    private func found(_ tree: Tree, _ key: RawSpan) throws(BullaError) -> FoundValue? {
        try reading(tree, key) { root, key throws(BullaError) in
            try access.pager.value(root, under: changes, key)
        }
    }

    @inline(__always)
    private func reading<R>(
        _ tree: Tree, _ key: RawSpan,
        _ body: (TreeRoot, ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        let root = try access.root(tree)
        return try key.withView { key throws(BullaError) in
            try access.reading { () throws(BullaError) in try body(root, key) }
        }
    }
}

extension Pager {
    /// Lends a value in place: in the memtable's memory, or while its frame is held.
    @inline(__always)
    func lendValue<R>(
        _ root: TreeRoot, under changes: MemtablePair, _ key: ByteView,
        _ body: (ByteView) throws -> R
    ) throws -> R? {
        switch changes.change(of: key, in: root.number) {
        case nil: try lendValue(root, key, body)
        case .put(let value): try body(value)
        case .tombstone: nil
        }
    }
}
