internal import BullaMemory

/// Reads on behalf of a snapshot or a write transaction.
///
/// It is not public, and no public method returns it, because its holder could read a transaction's
/// uncommitted changes from another thread, or after the transaction's end.
final class TreeAccess: Sendable {
    // The overlay is declared first so that it is destroyed first: it must return its memtable
    // versions before the claim releases the store.
    /// The memtables over the pages, including a transaction's own changes; `nil` for a snapshot
    /// that needs only pages.
    private let overlay: Overlay?
    /// The transaction's changes; `nil` for a snapshot.
    private let uncommitted: Uncommitted?
    /// Whether an overlay or uncommitted changes stand over the pages; each method checks this
    /// once.
    let isLayered: Bool
    /// Keeps the pages in the file while they may be read.
    let claim: ReaderClaim
    /// The scope of the tree handles that this returns.
    let scope: Tree.Scope

    /// A transaction's changes, which one thread at a time uses.
    private struct Uncommitted: @unchecked Sendable {
        // `@unchecked`: a write transaction is noncopyable and not sendable, and nothing else hands
        // this out.
        let changes: LogChanges
    }

    /// Makes the access of a snapshot.
    ///
    /// - Parameters:
    ///   - commit: the commit that the snapshot sees, if the pages belong to an older one.
    ///   - overlay: the memtables over the pages; `nil` for none.
    init(
        _ core: StoreCore, _ pinned: PinnedCommit, at commit: UInt64? = nil,
        under overlay: Overlay? = nil
    ) {
        let commit = commit ?? pinned.commit
        claim = ReaderClaim(core: core, pinned: pinned, commit: commit)
        self.overlay = overlay
        uncommitted = nil
        isLayered = overlay != nil
        scope = Tree.Scope(
            store: ObjectIdentifier(core), commit: commit, checkpoint: pinned.commit, turn: 0)
    }

    /// Makes the access of a snapshot that sees the newest checkpoint with the log's changes on
    /// top.
    ///
    /// If the log has no changes that the trees lack, the snapshot reads only pages.
    @inline(never)
    convenience init(underLogOf core: StoreCore, _ visibility: SnapshotVisibility)
        throws(BullaError)
    {
        let pin = try Pinning(core: core).pinUnderLog(visibility)
        self.init(core, pin.trees, at: pin.commit, under: pin.overlay)
    }

    /// Makes the access of a transaction.
    init(_ core: StoreCore, _ changes: LogChanges) {
        claim = ReaderClaim(core: core, pinned: changes.base, commit: changes.commit)
        overlay = Overlay(changes)
        uncommitted = Uncommitted(changes: changes)
        isLayered = true
        scope = Tree.Scope(
            store: ObjectIdentifier(core), commit: changes.commit,
            checkpoint: changes.base.commit, turn: core.nextTurn())
    }

    deinit {
        // A transaction unpins its checkpoint itself, when it ends.
        if uncommitted == nil { Pinning(core: core).unpin(claim.pinned) }
        core.releaseOutsideTasks()
    }

    var core: StoreCore { claim.core }
    var pager: Pager { claim.pager }

    /// The reads that also look at what stands over the pages; use it only if ``isLayered`` is
    /// `true`.
    private var layer: TreeLayer { TreeLayer(access: self) }

    /// The overlay, unwrapped.
    ///
    /// Use it only if ``isLayered`` is `true` and ``pages`` is `nil`.
    @inline(__always)
    var log: Overlay {
        guard let overlay else { preconditionFailure("a layer is a transaction's or the log's") }
        return overlay
    }

    /// The commit that a snapshot sees, or that a transaction will become.
    var commit: UInt64 { scope.commit }

    /// The transaction's changes; `nil` for a snapshot.
    var changes: LogChanges? { uncommitted?.changes }

    /// The pages that a transaction changes; `nil` for a snapshot, and for a transaction that goes
    /// to the log.
    @inline(__always)
    var pages: ChangedPages? { uncommitted?.changes.direct?.pages }

    /// Whether a new snapshot would see the same commit; also `false` if the log must be read to
    /// find out.
    @inline(never)
    func isNewest(_ visibility: SnapshotVisibility) throws(BullaError) -> Bool {
        try claim.isNewest(visibility)
    }

    /// - Throws: `invalidArgument` if the transaction has ended.
    func checkLife() throws(BullaError) {
        guard let uncommitted, uncommitted.changes.isEnded else { return }
        throw BullaError(
            .invalidArgument,
            "use a write transaction of \(core.parts.path): it has ended; it became commit "
                + "\(commit) or was discarded")
    }

    /// Checks that the handle belongs to this scope, and returns its root; `.empty` for a
    /// transaction's handle.
    @inline(__always)
    func rootInHandle(_ tree: Tree) throws(BullaError) -> TreeRoot {
        try claim.entrance.checkAlive()
        guard tree.scope == scope else { throw scope.refusal(of: tree, core.parts.path) }
        return tree.root
    }

    /// The tree's root as this snapshot or transaction sees it.
    func root(_ tree: Tree) throws(BullaError) -> TreeRoot {
        let root = try rootInHandle(tree)
        guard let uncommitted else { return root }
        return try opened(tree.index, in: uncommitted.changes).root
    }

    /// The current root of a tree in a transaction that goes direct (``WriterTurn``); throws unless
    /// the transaction itself opened the handle.
    @inline(__always)
    func root(_ tree: Tree, in pages: ChangedPages) throws(BullaError) -> TreeRoot {
        _ = try rootInHandle(tree)
        try checkLife()
        return try root(of: pages.trees[tree.index])
    }

    /// A handle to the tree at `index` among those that a transaction has opened.
    func openedTree(_ index: Int) -> Tree {
        let root = changes?.tree(index).root ?? .empty
        return Tree(changed: root, index: index, scope: scope)
    }

    private func opened(
        _ index: Int, in changes: LogChanges
    ) throws(BullaError) -> OpenTree {
        try checkLife()
        let tree = changes.tree(index)
        _ = try root(of: tree)
        return tree
    }

    @inline(__always)
    private func root(of tree: OpenTree) throws(BullaError) -> TreeRoot {
        guard !tree.isDropped else {
            throw BullaError(
                .treeNotFound,
                "use a tree of \(core.parts.path): it was dropped in this transaction, or opened "
                    + "in a part of it that was undone")
        }
        return tree.root
    }
}

/// The methods that read: each reads the pages alone, which is enough for most snapshots, or calls
/// ``TreeLayer``.
extension TreeAccess {
    /// - Throws: `treeNotFound`. The error leaves out the name, because names of trees are as
    ///   secret as keys, and errors end up in logs.
    func existingTree(named name: ByteView) throws(BullaError) -> Tree {
        if let tree = try tree(named: name) { return tree }
        throw BullaError(
            .treeNotFound,
            "open a tree of \(core.parts.path): commit \(commit) has no tree of the given name; "
                + "createTree(named:) makes one")
    }

    func tree(named name: ByteView) throws(BullaError) -> Tree? {
        try Limits.checkTreeName(name, of: core.parts.path)
        if isLayered { return try layer.tree(named: name) }
        try claim.entrance.checkAlive()
        let (catalog, line) = (claim.pinned.catalog, claim.pinned.line)
        if let root = core.foundTrees.root(named: name, in: catalog.pointer, line: line) {
            if pager.isPlain { try claim.checkExpiry() }
            return Tree(root: root, scope: scope)
        }
        let root = try claim.reading { () throws(BullaError) in
            try name.withCopy(after: CatalogKey.treeMark) { key throws(BullaError) in
                try pager.storedRoot(key, in: catalog)
            }
        }
        guard let root else { return nil }
        core.foundTrees.keep(root, named: name, in: catalog.pointer, line: line)
        return Tree(root: root, scope: scope)
    }

    /// Calls `body` with the name of each tree and a handle to it.
    func forEachTree(_ body: (ByteView, Tree) throws -> Void) throws {
        if isLayered { return try layer.forEachTree(body) }
        let scan = TreeScan(
            source: pager, root: claim.pinned.catalog, range: CatalogKey.trees, order: .ascending,
            checkUse: claim.checkAfterLeaf)
        try claim.lending {
            try scan.run { key, value in
                let tree = Tree(root: TreeRootLayout.read(value), scope: scope)
                try ReaderClaim.callers { try body(key.slice(1, key.byteCount - 1), tree) }
                return .next
            }
        }
    }

    func copyValue(_ tree: Tree, _ key: ByteView) throws(BullaError) -> [UInt8]? {
        if isLayered { return try layer.copyValue(tree, key) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in try pager.copyValue(root, key) }
    }

    func copyValues(_ tree: Tree, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        if isLayered { return try layer.copyValues(tree, keys) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.copyValues(root, under: nil, keys)
        }
    }

    /// Lends the values of many keys, each with its key's place in the list.
    func withValues(
        _ tree: Tree, _ keys: [[UInt8]], _ body: (Int, ByteView?) throws -> Void
    ) throws {
        if isLayered { return try layer.withValues(tree, keys, body) }
        let root = try rootInHandle(tree)
        try claim.lending {
            try pager.lendValues(root, under: nil, keys) { place, value in
                try ReaderClaim.callers { try body(place, value) }
            }
        }
    }

    func contains(_ tree: Tree, eachOf keys: [[UInt8]]) throws(BullaError) -> [Bool] {
        if isLayered { return try layer.contains(tree, eachOf: keys) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.contains(root, under: nil, eachOf: keys)
        }
    }

    func contains(_ tree: Tree, _ key: ByteView) throws(BullaError) -> Bool {
        if isLayered { return try layer.contains(tree, key) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.find(root, key) { _, _ in true } ?? false
        }
    }

    func valueByteCount(_ tree: Tree, _ key: ByteView) throws(BullaError) -> UInt64? {
        if isLayered { return try layer.valueByteCount(tree, key) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in try pager.valueByteCount(root, key) }
    }

    @inline(__always)
    func withValue<R>(
        _ tree: Tree, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        if isLayered { return try layer.withValue(tree, key, body) }
        let root = try rootInHandle(tree)
        return try claim.lending {
            try pager.lendValue(root, key) { value in try ReaderClaim.callers { try body(value) } }
        }
    }

    /// Finds a value, short or large, for the caller to read part by part.
    func found(_ tree: Tree, _ key: ByteView) throws(BullaError) -> FoundValue? {
        if isLayered { return try layer.found(tree, key) }
        let root = try rootInHandle(tree)
        return try claim.reading { () throws(BullaError) in try pager.value(root, key) }
    }

    func scan(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        if isLayered { return try layer.scan(tree, range, order, body) }
        try scanPages(try rootInHandle(tree), range, order, body)
    }

    @inline(__always)
    func scanPages(
        _ root: TreeRoot, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        try claim.lending {
            let scan = TreeScan(
                source: pager, root: root, range: range, order: order,
                checkUse: claim.checkAfterLeaf)
            try scan.run { key, value in try ReaderClaim.callers { try body(key, value) } }
        }
    }

    /// Lends entries in runs, each with the bytes in which the run's entries lie.
    func scan(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        runs body: (ByteView, Span<EntryPlace>) throws -> ScanStep
    ) throws {
        if isLayered { return try layer.scan(tree, range, order, runs: body) }
        try scanPages(try rootInHandle(tree), range, order, runs: body)
    }

    @inline(__always)
    func scanPages(
        _ root: TreeRoot, _ range: KeyRange, _ order: ScanOrder,
        runs body: (ByteView, Span<EntryPlace>) throws -> ScanStep
    ) throws {
        try claim.lending {
            let scan = TreeScan(
                source: pager, root: root, range: range, order: order,
                checkUse: claim.checkAfterLeaf)
            try scan.lendRuns { bytes, entries in
                try ReaderClaim.callers { try body(bytes, entries) }
            }
        }
    }

    /// How many entries a tree has.
    @inline(__always)
    func count(_ tree: Tree) throws(BullaError) -> UInt64 {
        if isLayered { return try layer.count(tree) }
        return try rootInHandle(tree).entryCount
    }

    /// A cursor that stands on no entry yet, over a tree of a snapshot.
    @inline(__always)
    func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        if isLayered { return try layer.makeCursor(in: tree) }
        return Cursor(self, try rootInHandle(tree))
    }
}
