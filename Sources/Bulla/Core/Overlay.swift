internal import BullaMemory

/// The memtables that a snapshot or a transaction reads on top of the trees.
final class Overlay: @unchecked Sendable {
    // `@unchecked`: published versions of memtables are immutable, and only one thread at a time
    // uses a transaction.

    private let source: Source

    private enum Source {
        case published(MemtablePair)
        case uncommitted(LogChanges)
    }

    /// The number that the underlying catalog would give to a new tree; all trees in the catalog
    /// have smaller numbers.
    let nextStoredTree: UInt64
    /// The number that the next new tree gets.
    let nextTree: UInt64
    /// Called when a scan or a cursor has passed thousands of tombstones (deleted keys) in a row;
    /// if it is `nil`, a snapshot starts a checkpoint instead.
    let reportTombstones: (@Sendable () -> Void)?
    /// Keeps the memtables' versions from being freed; `nil` if the caller keeps them.
    private let view: LogView?

    /// - Parameter nextStoredTree: the number that the underlying catalog would give to a new tree.
    init(_ view: consuming LogView, nextStoredTree: UInt64) {
        source = .published(view.pair)
        nextTree = max(view.nextTree, nextStoredTree)
        self.view = consume view
        self.nextStoredTree = nextStoredTree
        reportTombstones = nil
    }

    /// Makes an overlay of versions that the caller holds as long as the overlay lives.
    init(
        _ changes: MemtablePair, nextStoredTree: UInt64, reportTombstones: (@Sendable () -> Void)?
    ) {
        source = .published(changes)
        self.nextStoredTree = nextStoredTree
        nextTree = nextStoredTree
        self.reportTombstones = reportTombstones
        view = nil
    }

    /// Makes the overlay of a transaction.
    init(_ changes: LogChanges) {
        source = .uncommitted(changes)
        nextStoredTree = changes.nextStoredTree
        nextTree = changes.nextTree
        reportTombstones = nil
        view = nil
    }

    /// The memtables; a transaction's memtables are valid until its next change.
    @inline(__always)
    var changes: MemtablePair {
        switch source {
        case .published(let pair): pair
        case .uncommitted(let changes): changes.pair
        }
    }

    /// Whether the memtables have changes for a tree; if not, only its pages are read.
    func speaks(of tree: UInt64) -> Bool {
        changes.newer.holds(tree: tree) || changes.older.holds(tree: tree)
    }

    func catalog(_ root: TreeRoot, in pager: Pager) -> MergedCatalog<Pager> {
        MergedCatalog(source: pager, catalog: root, changes: changes, nextTree: nextStoredTree)
    }

    func scan(
        _ pager: Pager, _ root: TreeRoot, _ range: KeyRange, _ order: ScanOrder,
        _ reportTombstones: (() -> Void)?, checkUse: (() throws(BullaError) -> Void)?
    ) -> MergedScan<Pager> {
        MergedScan(
            tree: TreeScan(
                source: pager, root: root, range: range, order: order, checkUse: checkUse),
            changes: changes, reportTombstones: reportTombstones)
    }
}
