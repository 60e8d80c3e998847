internal import BullaMemory

/// A place among the entries of a tree and the memtables above it.
///
/// Like a ``TreePath``, it names pages, but holds none. It is valid while the memtables' versions
/// are held. A move is one operation, or several if it passes many tombstones (deleted keys).
struct MergedPath: ~Copyable {
    private var tree: TreePath
    private var changes: ChangeCursor
    private var tombstones: TombstoneRun
    /// The direction of the last move.
    ///
    /// The tree and the memtables each stand on the path's key, or on their own next key in this
    /// direction.
    private var order = ScanOrder.ascending
    /// Whether the tree has the key on which the path stands.
    private var isOnTree = false
    /// Whether the memtables have changed the key on which the path stands.
    private var isOnChange = false

    /// One operation passes at most this many tombstones, because it must not last long.
    private static let operationLimit = 256

    init(
        _ root: TreeRoot, under changes: MemtablePair, reportTombstones: (() -> Void)? = nil
    ) {
        tree = TreePath(root)
        self.changes = changes.cursor(tree: root.number)
        tombstones = TombstoneRun(reportTombstones)
    }

    /// What the path stands on.
    enum Entry {
        case leaf(TreePath.Step)
        case change(key: ByteView, value: ByteView)
    }

    /// Whether it stands on an entry; `false` before its first move, beyond either end, and after
    /// an error.
    var isOnEntry: Bool { isOnTree || isOnChange }

    /// The entry where it stands; `nil` if it stands on none.
    var entry: Entry? {
        if isOnChange, case .put(let value) = changes.change {
            return .change(key: changes.key, value: value)
        }
        guard isOnTree, let leaf = tree.leaf else { return nil }
        return .leaf(leaf)
    }

    /// Moves to the first entry that is not below `key`.
    mutating func seek(_ source: some PageSource, _ key: ByteView) throws(BullaError) {
        leave(.ascending)
        changes.seek(notBelow: key)
        try source.operate { () throws(BullaError) in try tree.seek(source, key) }
        try settle(source)
    }

    /// Moves to the entry that comes first in the given order.
    mutating func goToEnd(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) {
        leave(order)
        changes.moveToEnd(order)
        try source.operate { () throws(BullaError) in try tree.goToEnd(source, order) }
        try settle(source)
    }

    /// Moves to the next entry in the given order; if it stands on none, it does not move.
    mutating func step(_ source: some PageSource, _ order: ScanOrder) throws(BullaError) {
        guard isOnEntry else { return }
        if order == self.order {
            advance()
        } else {
            leave(order)
            turnChanges()
            try source.operate { () throws(BullaError) in try turnTree(source) }
        }
        try settle(source)
    }

    private mutating func leave(_ order: ScanOrder) {
        self.order = order
        (isOnTree, isOnChange) = (false, false)
    }

    /// Leaves the key on which the path stands.
    @inline(__always)
    private mutating func advance() {
        if isOnTree { stepTree() }
        if isOnChange { changes.step(order) }
        (isOnTree, isOnChange) = (false, false)
    }

    private mutating func stepTree() {
        guard let leaf = tree.leaf else { return }
        tree.setLeafIndex(order == .ascending ? leaf.index &+ 1 : leaf.index &- 1)
    }

    /// Steps the memtables' side back, in the path's new direction.
    ///
    /// Before the turn, each side stands on the path's key or beyond it. So one step back takes
    /// each side to its nearest key in the new direction; a side that has run past its end moves to
    /// its last key.
    private mutating func turnChanges() {
        if changes.isOnEntry { changes.step(order) } else { changes.moveToEnd(order) }
    }

    private mutating func turnTree(_ source: some PageSource) throws(BullaError) {
        if tree.leaf == nil { try tree.goToEnd(source, order) } else { stepTree() }
    }

    /// Moves on to the nearest entry, past the keys that the memtables have deleted.
    private mutating func settle(_ source: some PageSource) throws(BullaError) {
        while try !source.operate({ () throws(BullaError) in try choose(source) }) {}
    }

    /// - Returns: `false` if there were too many tombstones for one operation.
    private mutating func choose(_ source: some PageSource) throws(BullaError) -> Bool {
        for _ in 0..<Self.operationLimit {
            try compare(source)
            guard isOnChange, case .tombstone = changes.change else {
                tombstones.end()
                return true
            }
            tombstones.pass()
            advance()
        }
        return false
    }

    /// Chooses the nearer of the tree's key and the memtables' key, or both if they are equal.
    @inline(__always)
    private mutating func compare(_ source: some PageSource) throws(BullaError) {
        guard let (page, leaf) = try treeEntry(source) else {
            isOnChange = changes.isOnEntry
            return
        }
        guard changes.isOnEntry else {
            isOnTree = true
            return
        }
        let difference = page.key(leaf.index).compare(changes.key)
        let isTreeFirst = order == .ascending ? difference < 0 : difference > 0
        try source.checkUnchanged(leaf.pointer)
        (isOnTree, isOnChange) = (isTreeFirst || difference == 0, !isTreeFirst)
    }

    /// The tree's entry where its path stands, or, if that is past a leaf's end, the nearest entry
    /// of the next leaf; `nil` if there is none.
    @inline(__always)
    private mutating func treeEntry(
        _ source: some PageSource
    ) throws(BullaError) -> (page: TreePage, leaf: TreePath.Step)? {
        while let leaf = tree.leaf {
            let page = try source.treePage(leaf.pointer, level: 0)
            if leaf.index >= 0 && leaf.index < page.count { return (page, leaf) }
            guard try tree.nextLeaf(source, order) else { return nil }
        }
        return nil
    }
}
