internal import BullaMemory

/// What the log says over the pages.
extension TreeAccess {
    /// What the log says over the pages; `nil` where it says nothing.
    var logged: MemtablePair? { isLayered && pages == nil ? log.changes : nil }

    /// Whether the log says something of a tree, which its pages do not.
    func isChanged(_ tree: Tree) -> Bool {
        isLayered && pages == nil && log.speaks(of: tree.root.number)
    }

    /// The number that the next new tree gets, as far as the log says; 0 where it says nothing.
    var nextTree: UInt64 { isLayered && pages == nil ? log.nextTree : 0 }

    /// How many trees the log adds to those of the catalog, less those that it drops.
    ///
    /// - Returns: modulo 2^64.
    func addedTreeCount() throws(BullaError) -> UInt64 {
        guard let logged else { return 0 }
        return try claim.reading { () throws(BullaError) in
            // A catalog counts no entries; of all that it has, memtables speak of names alone.
            let (added, removed) = try pager.changedCounts(claim.pinned.catalog, under: logged)
            return added &- removed
        }
    }
}
