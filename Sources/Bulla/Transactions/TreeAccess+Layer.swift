internal import BullaMemory

/// The verbs where something stands above the pages: a transaction's changes, or what the log says.
///
/// Each by itself, so that reading pages alone has none of it in its way.
extension TreeAccess {
    @inline(never)
    func layeredTree(named name: ByteView) throws(BullaError) -> Tree? {
        try core.checkAlive()
        try checkLife()
        if let direct = changes?.direct { return try direct.openTree(name).map(openedTree) }
        if let changes {
            if let index = changes.openedTree(name) { return openedTree(index) }
            guard let root = try loggedRoot(named: name) else { return nil }
            return openedTree(try changes.open(name, root))
        }
        return try loggedRoot(named: name).map { Tree(root: $0, scope: scope) }
    }

    private func loggedRoot(named name: ByteView) throws(BullaError) -> TreeRoot? {
        try reading { () throws(BullaError) in
            try log.catalog(pinned.catalog, in: pager).root(named: name)
        }
    }

    @inline(never)
    func forEachLayeredTree(_ body: (ByteView, Tree) throws -> Void) throws {
        try core.checkAlive()
        try checkLife()
        if let pages {
            let scan = TreeScan(
                source: pages, root: pages.trees[OpenTrees.catalog].root,
                range: CatalogKey.trees, order: .ascending)
            // Nobody changes the catalog meanwhile: the transaction is lent for reading.
            return try scan.run { key, _ in
                let name = key.slice(1, key.byteCount - 1)
                if let tree = try tree(named: name) { try body(name, tree) }
                return .next
            }
        }
        try lending {
            let catalog = log.catalog(pinned.catalog, in: pager)
            try catalog.forEach(checkUse: checkClaimAfterLeaf) { name, root in
                var tree: Tree? = Tree(root: root, scope: scope)
                if changes != nil { tree = try self.tree(named: name) }
                if let tree { try Self.callers { try body(name, tree) } }
            }
        }
    }

    @inline(never)
    func copyLayered(_ tree: Tree, _ key: ByteView) throws(BullaError) -> [UInt8]? {
        if let pages { return try pages.copyValue(try root(tree, in: pages), key) }
        let root = try root(tree)
        return try reading { () throws(BullaError) in
            try pager.copyValue(root, under: log.changes, key)
        }
    }

    @inline(never)
    func copyLayered(_ tree: Tree, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        if let pages { return try pages.copyValues(try root(tree, in: pages), keys) }
        let root = try root(tree)
        return try reading { () throws(BullaError) in
            try pager.copyValues(root, under: log.changes, keys)
        }
    }

    @inline(never)
    func layeredContains(_ tree: Tree, _ key: ByteView) throws(BullaError) -> Bool {
        if let pages {
            return try pages.find(try root(tree, in: pages), key) { _, _ in true } ?? false
        }
        let root = try root(tree)
        return try reading { () throws(BullaError) in
            try pager.contains(root, under: log.changes, key)
        }
    }

    @inline(never)
    func layeredByteCount(_ tree: Tree, _ key: ByteView) throws(BullaError) -> UInt64? {
        if let pages { return try pages.valueByteCount(try root(tree, in: pages), key) }
        let root = try root(tree)
        return try reading { () throws(BullaError) in
            try pager.valueByteCount(root, under: log.changes, key)
        }
    }

    @inline(never)
    func withLayered<R>(
        _ tree: Tree, _ key: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R? {
        if let pages { return try pages.lendValue(try root(tree, in: pages), key, body) }
        let root = try root(tree)
        return try lending {
            try pager.lendValue(root, under: log.changes, key) { value in
                try Self.callers { try body(value) }
            }
        }
    }

    @inline(never)
    func layeredFound(_ tree: Tree, _ key: ByteView) throws(BullaError) -> FoundValue? {
        if let pages { return try pages.value(try root(tree, in: pages), key) }
        let root = try root(tree)
        return try reading { () throws(BullaError) in
            try pager.value(root, under: log.changes, key)
        }
    }

    @inline(never)
    func scanLayered(
        _ tree: Tree, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws {
        if let pages {
            let root = try root(tree, in: pages)
            return try TreeScan(source: pages, root: root, range: range, order: order).run(body)
        }
        let root = try root(tree)
        guard log.speaks(of: root.number) else { return try scanPages(root, range, order, body) }
        try lending {
            let scan = log.scan(pager, root, range, order, checkUse: checkClaimAfterLeaf)
            try scan.run { key, value in try Self.callers { try body(key, value) } }
        }
    }
}

extension TreeAccess {
    /// How many entries a tree has.
    @inline(__always)
    func count(_ tree: Tree) throws(BullaError) -> UInt64 {
        if isLayered { return try layeredCount(tree) }
        return try storedRoot(tree).entryCount
    }

    @inline(never)
    private func layeredCount(_ tree: Tree) throws(BullaError) -> UInt64 {
        if let pages { return try root(tree, in: pages).entryCount }
        let root = try root(tree)
        return try reading { () throws(BullaError) in try pager.count(root, under: log.changes) }
    }

    /// How many trees the log adds to those of the catalog, less those that it drops.
    ///
    /// - Returns: modulo 2^64.
    func addedTreeCount() throws(BullaError) -> UInt64 {
        guard isLayered, pages == nil else { return 0 }
        return try reading { () throws(BullaError) in
            // A catalog counts no entries; of all that it has, memtables speak of names alone.
            let (added, removed) = try pager.changedCounts(pinned.catalog, under: log.changes)
            return added &- removed
        }
    }

    /// What the log says over the pages; `nil` where it says nothing.
    var logged: MemtablePair? { isLayered && pages == nil ? log.changes : nil }

    /// Whether the log says something of a tree, which its pages do not.
    func isChanged(_ tree: Tree) -> Bool {
        isLayered && pages == nil && log.speaks(of: tree.root.number)
    }

    /// The number that the next new tree gets, as far as the log says; 0 where it says nothing.
    var nextTree: UInt64 { isLayered && pages == nil ? log.nextTree : 0 }

    /// The first keys of a tree in a range, for a transaction to delete.
    ///
    /// - Parameter byteLimit: as ``KeyList/init(byteLimit:)``.
    func keys(
        of tree: Tree, _ range: KeyRange, byteLimit: UInt64
    ) throws(BullaError) -> KeyList {
        var keys = KeyList(byteLimit: byteLimit)
        do {
            try scan(tree, range, .ascending) { key, _ in try keys.keep(key) ? .next : .stop }
        } catch {
            throw error as? BullaError ?? pager.defect(pinned.catalog.pointer, "\(error)")
        }
        return keys
    }

    /// What a tree is made of; its pages are those of the newest checkpoint.
    func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics {
        let root = try root(tree)
        if let pages {
            // Changed pages have no number yet.
            let limit = pages.space.pageCount + UInt64(pages.memory.arena.count)
            var census = TreeCensus(pages, root, pageLimit: limit)
            return try census.run()
        }
        return try reading { () throws(BullaError) in
            var census = TreeCensus(
                pager, root, pageLimit: try pager.pageLimit(), checkUse: checkClaimAfterLeaf)
            var found = try census.run()
            found.entryCount = Int(clamping: try count(tree))
            return found
        }
    }

    /// A cursor over a tree of a snapshot, standing nowhere yet.
    @inline(__always)
    func makeCursor(in tree: Tree) throws(BullaError) -> Cursor {
        if isLayered { return try makeLayeredCursor(in: tree) }
        return Cursor(self, try storedRoot(tree))
    }

    /// Only snapshots have cursors.
    @inline(never)
    private func makeLayeredCursor(in tree: Tree) throws(BullaError) -> Cursor {
        let root = try root(tree)
        guard log.speaks(of: root.number) else { return Cursor(self, root) }
        let path = MergedPath(
            root, under: log.changes, reportTombstones: log.reportTombstones)
        return Cursor(self, root, under: ChangedPath(path))
    }
}
