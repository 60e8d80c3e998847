internal import BullaMemory

/// The log's changes, as a layer over the pages.
extension TreeAccess {
    /// The memtables over the pages; `nil` if there are none.
    var logged: MemtablePair? { isLayered && pages == nil ? log.changes : nil }

    /// Whether the log has changes for a tree.
    func isChanged(_ tree: Tree) -> Bool {
        isLayered && pages == nil && log.speaks(of: tree.root.number)
    }

    /// The number that the next new tree would get; 0 if no memtables stand over the pages.
    var nextTree: UInt64 { isLayered && pages == nil ? log.nextTree : 0 }

    /// How many trees the log adds to the catalog, less the trees that it drops.
    ///
    /// - Returns: the difference modulo 2^64.
    func addedTreeCount() throws(BullaError) -> UInt64 {
        guard let logged else { return 0 }
        return try claim.reading { () throws(BullaError) in
            // The pinned catalog's root has no entry count to which the changes could be added.
            // Each changed key stands for a tree, because memtables change no other entries of the
            // catalog.
            let (added, removed) = try pager.changedCounts(claim.pinned.catalog, under: logged)
            return added &- removed
        }
    }
}
