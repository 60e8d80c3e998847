internal import BullaMemory

/// The names of trees, from a catalog and the memtables above it.
///
/// For a name that is in the memtables, they give only the number of the tree. Its root comes from
/// the catalog, which may still have the tree under a former name.
struct MergedCatalog<Source: PageSource> {
    let source: Source
    let catalog: TreeRoot
    let changes: MemtablePair
    /// No tree of the catalog has this number, or a greater one.
    let nextTree: UInt64

    /// The root of the tree with a name; `nil` if there is none.
    ///
    /// - Complexity: a lookup in the catalog; for a tree that was renamed since the catalog was
    ///   written, one lookup for each name that the memtables mention.
    func root(named name: ByteView) throws(BullaError) -> TreeRoot? {
        let found = try CatalogKey.withTree(name) { key throws(BullaError) -> TreeRoot? in
            switch changes.change(of: key, in: catalog.number) {
            case nil: try stored(key)
            case .put(let record): try root(record, key)
            case .tombstone: nil
            }
        }
        return found ?? nil
    }

    /// Visits all trees in the byte order of their names.
    ///
    /// - Parameters:
    ///   - checkUse: called after each leaf of the catalog.
    ///   - body: gets a tree's name and its root.
    func forEach(
        checkUse: (() throws(BullaError) -> Void)?, _ body: (ByteView, TreeRoot) throws -> Void
    ) throws {
        let trees = TreeScan(
            source: source, root: catalog, range: CatalogKey.trees, order: .ascending,
            checkUse: checkUse)
        try MergedScan(tree: trees, changes: changes).run { key, record in
            // A record that names no page comes either from a memtable, for a new or renamed tree,
            // or from the catalog, for an empty tree. `root` finds out which: it looks in the
            // catalog for a tree with this number.
            var root = TreeRootLayout.read(record)
            if root.pointer.isNone { root = try self.root(record, key) }
            try body(key.slice(1, key.byteCount - 1), root)
            return .next
        }
    }

    /// The root of the tree whose number is in a record.
    private func root(_ record: ByteView, _ key: ByteView) throws(BullaError) -> TreeRoot {
        guard record.byteCount == TreeRootLayout.byteCount else {
            throw source.defect(catalog.pointer, "a tree's record in the log has a wrong length")
        }
        let number = TreeRootLayout.read(record).number
        guard number < nextTree else { return .empty(number: number) }
        if let root = try stored(key), root.number == number { return root }
        return try renamed(number)
    }

    /// The root of a renamed tree, which the catalog still has under the old name, although the
    /// memtables have deleted that name.
    private func renamed(_ number: UInt64) throws(BullaError) -> TreeRoot {
        var names = changes.cursor(tree: catalog.number)
        names.moveToEnd(.ascending)
        while names.isOnEntry {
            if let root = try stored(names.key), root.number == number { return root }
            names.step(.ascending)
        }
        throw source.defect(catalog.pointer, "it lacks a tree that the log names")
    }

    /// The root that the catalog has for a key.
    private func stored(_ key: ByteView) throws(BullaError) -> TreeRoot? {
        try source.storedRoot(key, in: catalog)
    }
}
