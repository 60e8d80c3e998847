internal import BullaMemory

extension PageSource {
    /// How many entries a tree has, with the changes in the memtables above it.
    ///
    /// - Throws: `corrupted`, including if the tree claims an impossible number of entries.
    /// - Complexity: constant if the memtables do not change the tree. Otherwise a scan of all
    ///   changes to it, and a search of the tree for each leaf into which changed keys fall. The
    ///   memtables of a ``LogView`` do not change while it is held, so neither does the count.
    func count(_ root: TreeRoot, under changes: MemtablePair) throws(BullaError) -> UInt64 {
        let (added, removed) = try changedCounts(root, under: changes)
        let (sum, isOver) = root.entryCount.addingReportingOverflow(added)
        guard !isOver, sum >= removed else {
            throw defect(root.pointer, "its tree claims \(root.entryCount) entries")
        }
        return sum - removed
    }

    /// How many keys the memtables add to a tree, and how many they remove from it.
    ///
    /// - Complexity: as ``count(_:under:)``.
    func changedCounts(
        _ root: TreeRoot, under changes: MemtablePair
    ) throws(BullaError) -> (added: UInt64, removed: UInt64) {
        var walk = CountWalk(changes.cursor(tree: root.number))
        while walk.changes.isOnEntry {
            if root.pointer.isNone {
                walk.pass(isInTree: false)
            } else {
                try operate { () throws(BullaError) in try walk.passLeaf(self, root) }
            }
        }
        return (walk.addedCount, walk.removedCount)
    }
}

/// Walks the changed keys, leaf by leaf, and counts those that add an entry or remove one.
private struct CountWalk {
    var changes: ChangeCursor
    /// How many keys get a value but are not in the tree, and how many are in the tree but have a
    /// tombstone.
    var (addedCount, removedCount): (UInt64, UInt64) = (0, 0)

    init(_ changes: ChangeCursor) {
        self.changes = changes
        self.changes.moveToEnd(.ascending)
    }

    /// Passes the next changed key, and all further changed keys up to the last key of the leaf
    /// where that key belongs.
    mutating func passLeaf(
        _ source: some PageSource, _ root: TreeRoot
    ) throws(BullaError) {
        let leaf = try source.leafPointer(of: root, for: changes.key)
        let page = try source.treePage(leaf, level: 0)
        var (index, isFirst) = (0, true)
        while changes.isOnEntry {
            let (place, isFound) = page.search(changes.key, from: index)
            // A key beyond the leaf's last one may belong in the next leaf.
            guard isFirst || place < page.count else { break }
            pass(isInTree: isFound)
            (index, isFirst) = (isFound ? place &+ 1 : place, false)
        }
        try source.checkUnchanged(leaf)
    }

    mutating func pass(isInTree: Bool) {
        switch changes.change {
        case .put: addedCount &+= isInTree ? 0 : 1
        case .tombstone: removedCount &+= isInTree ? 1 : 0
        case nil: break
        }
        changes.step(.ascending)
    }
}
