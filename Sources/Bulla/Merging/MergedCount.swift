internal import BullaMemory

extension PageSource {
    /// How many entries a tree has under memtables.
    ///
    /// - Throws: `corrupted`, also where the tree claims a number of entries that cannot be.
    /// - Complexity: constant where the memtables say nothing of the tree. Otherwise a walk over
    ///   all that they say of it, and a search of the tree for each leaf among whose keys they
    ///   stand. The count stays the same while the view is held.
    func count(_ root: TreeRoot, under changes: MemtablePair) throws(BullaError) -> UInt64 {
        let (added, removed) = try changedCounts(root, under: changes)
        let (sum, isOver) = root.entryCount.addingReportingOverflow(added)
        guard !isOver, sum >= removed else {
            throw defect(root.pointer, "its tree claims \(root.entryCount) entries")
        }
        return sum - removed
    }

    /// How many keys memtables add to those of a tree, and how many they take from them.
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

/// Which changed keys a tree has, leaf by leaf.
private struct CountWalk {
    var changes: ChangeCursor
    /// Keys with a value that the tree does not have, and tombstones of keys that it has.
    var (addedCount, removedCount): (UInt64, UInt64) = (0, 0)

    init(_ changes: ChangeCursor) {
        self.changes = changes
        self.changes.moveToEnd(.ascending)
    }

    /// Passes the next key, and all that lie before the end of the leaf where it would stand.
    mutating func passLeaf(
        _ source: some PageSource, _ root: TreeRoot
    ) throws(BullaError) {
        let leaf = try source.leafPointer(of: root, for: changes.key)
        let page = try source.treePage(leaf, level: 0)
        var (index, isFirst) = (0, true)
        while changes.isOnEntry {
            let (place, isFound) = page.search(changes.key, from: index)
            // What lies beyond the leaf's last key may have its place in the next leaf.
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
