internal import BullaMemory

/// A place among the entries of a tree as the memtables above it have them.
///
/// It names pages and holds none, as a ``TreePath`` does, and is good while the memtables' versions
/// are held. Each of its moves is some operations: one, but where it passes many tombstones.
struct MergedPath: ~Copyable {
    private var tree: TreePath
    private var changes: ChangeCursor
    private var tombstones: TombstoneRun
    /// The way that it moved last: tree and memtables each stand on their nearest key, seen from
    /// where it came from.
    private var order = ScanOrder.ascending
    /// Whether the tree has the key that it stands on.
    private var isOnTree = false
    /// Whether the memtables say something of it.
    private var isOnChange = false

    /// So many tombstones are passed in one operation, which must not last long.
    private static let operationLimit = 256

    init(
        _ root: TreeRoot, under changes: MemtablePair, reportTombstones: (() -> Void)? = nil
    ) {
        tree = TreePath(root)
        self.changes = changes.cursor(tree: root.number)
        tombstones = TombstoneRun(reportTombstones)
    }

    /// What it stands on.
    enum Entry {
        case leaf(TreePath.Step)
        case change(key: ByteView, value: ByteView)
    }

    /// Whether it stands on an entry: not before its first move, beyond either end, and after an
    /// error.
    var isOnEntry: Bool { isOnTree || isOnChange }

    /// The entry where it stands; `nil` where it stands nowhere.
    var entry: Entry? {
        if isOnChange, case .put(let value) = changes.change {
            return .change(key: changes.key, value: value)
        }
        guard isOnTree, let leaf = tree.leaf else { return nil }
        return .leaf(leaf)
    }

    /// To the first entry not below `key`.
    mutating func seek(_ source: some PageSource, _ key: ByteView) throws(BullaError) {
        leave(.ascending)
        changes.seek(notBelow: key)
        try source.operate { () throws(BullaError) in try tree.seek(source, key) }
        try settle(source)
    }

    /// To the first entry, or the last.
    mutating func goToEnd(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) {
        leave(order)
        changes.moveToEnd(order)
        try source.operate { () throws(BullaError) in try tree.goToEnd(source, order) }
        try settle(source)
    }

    /// To the next entry in that order; where it stands nowhere, it stays there.
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

    /// Leaves the key that it stands on.
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

    /// Each side stands on the path's key or beyond it, so one step back takes it to its nearest
    /// key the other way, or from its end to its last one.
    private mutating func turnChanges() {
        if changes.isOnEntry { changes.step(order) } else { changes.moveToEnd(order) }
    }

    private mutating func turnTree(_ source: some PageSource) throws(BullaError) {
        if tree.leaf == nil { try tree.goToEnd(source, order) } else { stepTree() }
    }

    /// Stands on the nearer key of tree and memtables that is no tombstone.
    private mutating func settle(_ source: some PageSource) throws(BullaError) {
        while try !source.operate({ () throws(BullaError) in try choose(source) }) {}
    }

    /// - Returns: `false` when there were too many tombstones for one operation.
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

    /// Stands on the nearer key of the two, and on both where they are the same.
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

    /// The tree's entry where its path stands, or at the near end of the next leaf; `nil` where
    /// there is none.
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
