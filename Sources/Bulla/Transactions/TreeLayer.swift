internal import BullaMemory

/// Reads through the layer above the pages: a transaction's changes, or the log.
///
/// It has the same methods as ``TreeAccess``. Their code is separate, so that a snapshot that reads
/// only pages does not pay for the layer.
struct TreeLayer {
    let access: TreeAccess

    private var core: StoreCore { access.core }
    private var pager: Pager { access.pager }
    private var claim: ReaderClaim { access.claim }
    private var pages: ChangedPages? { access.pages }
    private var log: Overlay { access.log }

    @inline(never)
    func tree(named name: ByteView) throws(BullaError) -> Tree? {
        try core.entrance.checkAlive()
        try access.checkLife()
        guard let changes = access.changes else {
            return try loggedRoot(named: name).map { Tree(root: $0, scope: access.scope) }
        }
        if let direct = changes.direct { return try direct.openTree(name).map(access.openedTree) }
        if let index = changes.openedTree(name) { return access.openedTree(index) }
        guard let root = try loggedRoot(named: name) else { return nil }
        return access.openedTree(try changes.open(name, root))
    }

    private func loggedRoot(named name: ByteView) throws(BullaError) -> TreeRoot? {
        try claim.reading { () throws(BullaError) in
            try log.catalog(claim.pinned.catalog, in: pager).root(named: name)
        }
    }

    @inline(never)
    func forEachTree(_ body: (ByteView, Tree) throws -> Void) throws {
        try core.entrance.checkAlive()
        try access.checkLife()
        if let pages {
            let scan = TreeScan(
                source: pages, root: pages.trees[OpenTrees.catalog].root,
                range: CatalogKey.trees, order: .ascending)
            // The catalog cannot change during the scan, because the transaction is borrowed for
            // reading.
            return try scan.run { key, _ in
                let name = key.slice(1, key.byteCount - 1)
                if let tree = try access.tree(named: name) { try body(name, tree) }
                return .next
            }
        }
        try claim.lending {
            let catalog = log.catalog(claim.pinned.catalog, in: pager)
            try catalog.forEach(checkUse: claim.checkAfterLeaf) { name, root in
                var tree: Tree? = Tree(root: root, scope: access.scope)
                if access.changes != nil { tree = try access.tree(named: name) }
                if let tree { try ReaderClaim.callers { try body(name, tree) } }
            }
        }
    }

    @inline(never)
    func copyValue(_ tree: Tree, _ key: ByteView) throws(BullaError) -> [UInt8]? {
        if let pages { return try pages.copyValue(try access.root(tree, in: pages), key) }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.copyValue(root, under: log.changes, key)
        }
    }

    @inline(never)
    func copyValues(_ tree: Tree, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        if let pages {
            return try pages.copyValues(try access.root(tree, in: pages), under: nil, keys)
        }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.copyValues(root, under: log.changes, keys)
        }
    }

    @inline(never)
    func withValues(
        _ tree: Tree, _ keys: [[UInt8]], _ body: (Int, ByteView?) throws -> Void
    ) throws {
        if let pages {
            let root = try access.root(tree, in: pages)
            for (place, key) in keys.enumerated() {
                let isThere: Void? = try key.withView { key in
                    try pages.lendValue(root, key) { try body(place, $0) }
                }
                if isThere == nil { try body(place, nil) }
            }
            return
        }
        let root = try access.root(tree)
        try claim.lending {
            try pager.lendValues(root, under: log.changes, keys) { place, value in
                try ReaderClaim.callers { try body(place, value) }
            }
        }
    }

    @inline(never)
    func contains(_ tree: Tree, eachOf keys: [[UInt8]]) throws(BullaError) -> [Bool] {
        if let pages {
            return try pages.contains(
                try access.root(tree, in: pages), under: nil, eachOf: keys)
        }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.contains(root, under: log.changes, eachOf: keys)
        }
    }

    @inline(never)
    func contains(_ tree: Tree, _ key: ByteView) throws(BullaError) -> Bool {
        if let pages {
            return try pages.find(try access.root(tree, in: pages), key) { _, _ in true } ?? false
        }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.contains(root, under: log.changes, key)
        }
    }

    @inline(never)
    func valueByteCount(_ tree: Tree, _ key: ByteView) throws(BullaError) -> UInt64? {
        if let pages { return try pages.valueByteCount(try access.root(tree, in: pages), key) }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.valueByteCount(root, under: log.changes, key)
        }
    }

    @inline(never)
    func withValue<R>(
        _ tree: Tree, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        if let pages { return try pages.lendValue(try access.root(tree, in: pages), key, body) }
        let root = try access.root(tree)
        return try claim.lending {
            try pager.lendValue(root, under: log.changes, key) { value in
                try ReaderClaim.callers { try body(value) }
            }
        }
    }

    @inline(never)
    func found(_ tree: Tree, _ key: ByteView) throws(BullaError) -> FoundValue? {
        if let pages { return try pages.value(try access.root(tree, in: pages), key) }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.value(root, under: log.changes, key)
        }
    }

    @inline(never)
    func scan(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        if let pages {
            let root = try access.root(tree, in: pages)
            return try TreeScan(source: pages, root: root, range: range, order: order).run(body)
        }
        let root = try access.root(tree)
        guard log.speaks(of: root.number) else {
            return try access.scanPages(root, range, order, body)
        }
        try claim.lending {
            let scan = log.scan(
                pager, root, range, order, reportTombstones, checkUse: claim.checkAfterLeaf)
            try scan.run { key, value in try ReaderClaim.callers { try body(key, value) } }
        }
    }

    @inline(never)
    func scan(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        runs body: (ByteView, Span<EntryPlace>) throws -> ScanStep
    ) throws {
        if let pages {
            let root = try access.root(tree, in: pages)
            return try TreeScan(source: pages, root: root, range: range, order: order)
                .lendRuns(body)
        }
        let root = try access.root(tree)
        guard log.speaks(of: root.number) else {
            return try access.scanPages(root, range, order, runs: body)
        }
        try claim.lending {
            let scan = log.scan(
                pager, root, range, order, reportTombstones, checkUse: claim.checkAfterLeaf)
            try scan.lendRuns { bytes, entries in
                try ReaderClaim.callers { try body(bytes, entries) }
            }
        }
    }

    @inline(never)
    func count(_ tree: Tree) throws(BullaError) -> UInt64 {
        if let pages { return try access.root(tree, in: pages).entryCount }
        let root = try access.root(tree)
        return try claim.reading { () throws(BullaError) in
            try pager.count(root, under: log.changes)
        }
    }

    /// Makes a cursor over a tree.
    ///
    /// A transaction may call this only before it changes pages itself, and must not use the cursor
    /// after its next change, because a cursor reads the store's pages, not changed ones.
    @inline(never)
    func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        let root = try access.root(tree)
        guard log.speaks(of: root.number) else { return Cursor(access, root) }
        let path = MergedPath(
            root, under: log.changes, reportTombstones: reportTombstones)
        return Cursor(access, root, under: ChangedPath(path))
    }

    /// Called when a snapshot's walk has passed thousands of tombstones (deleted keys) in a row.
    ///
    /// If a closure was passed when the snapshot was made, this is that closure. Otherwise this is
    /// a closure that starts a checkpoint, which removes the tombstones. For a transaction, this is
    /// `nil`.
    private var reportTombstones: (@Sendable () -> Void)? {
        if let report = log.reportTombstones { return report }
        guard access.changes == nil else { return nil }
        // The closure captures a single object, so a scan allocates no memory for the closure.
        return { [access] in
            access.core.chores.checkpointTombstones(access.core, upTo: access.commit)
        }
    }
}
