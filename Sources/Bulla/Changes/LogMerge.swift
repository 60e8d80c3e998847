internal import BullaMemory

/// Merges what the log says into the trees.
struct LogMerge {
    let change: TreeChange

    private var pages: ChangedPages { change.pages }
    private var catalog: CatalogRecords { CatalogRecords(pages: pages) }

    /// Merges changes into a tree that has not been changed yet.
    ///
    /// - Parameter changes: a cursor that stands on the first change.
    func merge(_ changes: some SortedChanges, into tree: Int) throws(BullaError) {
        let root = pages.trees[tree].root
        precondition(
            root.pointer.dirtyIndex(token: pages.dirtyToken) == nil && !pages.savepoints.isAnyOpen,
            "a tree is merged before it is changed")
        var merge = try TreeMerge(root, changes, pages.pager, pages, token: pages.dirtyToken)
        pages.trees[tree].root = try merge.run()
        pages.markChanged(tree)
    }

    /// Merges all that the memtables say into the trees, in key order.
    ///
    /// The trees may have some of the changes already; merging those again has no effect. Changes
    /// to a dropped tree have no effect, either.
    ///
    /// - Parameters:
    ///   - changes: the memtables, which the caller holds for the whole call.
    ///   - nextTree: the number that the next new tree gets, according to the log.
    /// - Throws: `corrupted` if the trees cannot be those that the log builds on; `full`, `io`.
    /// - Complexity: one pass over the touched pages of each tree, and over the names of all trees.
    func merge(_ changes: MemtablePair, nextTree: UInt64) throws(BullaError) {
        try mergeNames(changes)
        change.numberTrees(from: nextTree)
        let numbers = changes.trees()
        for (number, tree) in try indices(among: Set(numbers)).sorted(by: { $0.key < $1.key }) {
            var cursor = changes.cursor(tree: number)
            cursor.moveToEnd(.ascending)
            if cursor.isOnEntry { try merge(cursor, into: tree) }
        }
    }

    /// Opens each existing tree whose number is given, and returns the trees' indices by number.
    private func indices(among numbers: Set<UInt64>) throws(BullaError) -> [UInt64: Int] {
        var names: [UInt64: ByteView] = [:]
        try catalog.scanCatalog(CatalogKey.trees) { key, record throws(BullaError) in
            let number = TreeRootLayout.read(record).number
            guard numbers.contains(number) else { return .next }
            let name = try pages.memory.keepName(key.slice(1, key.byteCount - 1))
            guard names.updateValue(name, forKey: number) == nil else {
                throw catalog.catalogDefect("two of its trees have the number \(number)")
            }
            return .next
        }
        var found: [UInt64: Int] = [:]
        for (number, name) in names { found[number] = try change.openTree(name) }
        return found
    }

    /// Gives trees the names that they have in the log, creates the new trees, and drops the trees
    /// that have lost their name and been given no other.
    ///
    /// The log mentions every name that a tree has lost, so the merge need not look at names that
    /// the log does not mention.
    private func mergeNames(_ changes: MemtablePair) throws(BullaError) {
        var (nameless, given): ([UInt64: Int], [(name: ByteView, number: UInt64)]) = ([:], [])
        var cursor = changes.cursor(tree: TreeRoot.catalogNumber)
        cursor.moveToEnd(.ascending)
        while let named = cursor.change {
            let key = cursor.key
            let name = try pages.memory.keepName(key.slice(1, max(key.byteCount - 1, 0)))
            let number = try treeNumber(named)
            if let tree = try change.openTree(name), pages.trees[tree].root.number != number {
                try change.takeName(of: tree)
                nameless[pages.trees[tree].root.number] = tree
            }
            if let number, try change.openTree(name) == nil { given.append((name, number)) }
            cursor.moveToNext()
        }
        for (name, number) in given {
            if let tree = nameless.removeValue(forKey: number) {
                try change.give(name, to: tree)
            } else if number >= change.base.nextTree {
                _ = try change.openOrCreateTree(named: name, number: number)
            } else {
                throw catalog.catalogDefect("it lacks a tree that the log names")
            }
        }
        for tree in nameless.values { try change.discardTree(tree) }
    }

    /// The number of the tree to which the log gives a name; `nil` if the log takes the name away.
    private func treeNumber(_ change: MemtableChange) throws(BullaError) -> UInt64? {
        guard case .put(let record) = change else { return nil }
        guard record.byteCount == TreeRootLayout.byteCount else {
            throw catalog.catalogDefect("a tree's record in the log has a wrong length")
        }
        return TreeRootLayout.read(record).number
    }
}
