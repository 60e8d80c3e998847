internal import BullaMemory

/// What memtables say over the trees that a snapshot, or a transaction, stands on.
final class Overlay: @unchecked Sendable {
    // `@unchecked`: what the pair lends was published, and stays as it is; a transaction is used by
    // one thread at a time.

    private let source: Source

    private enum Source {
        case published(MemtablePair)
        case uncommitted(LogChanges)
    }

    /// No tree of the catalog beneath has this number, or a greater one.
    let nextStoredTree: UInt64
    /// The number that the next new tree gets.
    let nextTree: UInt64
    /// Told when a scan or a cursor has passed thousands of tombstones in a row; where it is `nil`,
    /// the store's own thread is.
    let reportTombstones: (@Sendable () -> Void)?
    /// Holds the versions, unless somebody else does.
    private let view: LogView?

    /// - Parameter nextStoredTree: the number that the catalog beneath would give next.
    init(_ view: consuming LogView, nextStoredTree: UInt64) {
        source = .published(view.pair)
        nextTree = max(view.nextTree, nextStoredTree)
        self.view = consume view
        self.nextStoredTree = nextStoredTree
        reportTombstones = nil
    }

    /// Over versions that the caller holds for as long as this lives.
    init(
        _ changes: MemtablePair, nextStoredTree: UInt64, reportTombstones: (@Sendable () -> Void)?
    ) {
        source = .published(changes)
        self.nextStoredTree = nextStoredTree
        nextTree = nextStoredTree
        self.reportTombstones = reportTombstones
        view = nil
    }

    /// Of a transaction.
    init(_ changes: LogChanges) {
        source = .uncommitted(changes)
        nextStoredTree = changes.nextStoredTree
        nextTree = changes.nextTree
        reportTombstones = nil
        view = nil
    }

    /// What they say; of a transaction, until it changes something.
    @inline(__always)
    var changes: MemtablePair {
        switch source {
        case .published(let pair): pair
        case .uncommitted(let changes): changes.pair
        }
    }

    /// Whether anything is said of a tree; otherwise its pages alone are read.
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
