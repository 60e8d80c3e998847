/// Checks of the log, and of what it adds to the pages.
extension StoreCheck {
    /// Checks what a snapshot of an open store sees; ``record`` must be the snapshot's.
    ///
    /// - Throws: as ``run()``; `snapshotExpired` if a writer ended the snapshot meanwhile: then the
    ///   defects that were found say nothing about the store.
    mutating func run(over snapshot: TreeAccess) throws(BullaError) {
        do throws(BullaError) {
            try run()
            try checkLog(of: snapshot.core)
            if let changes = snapshot.logged { try count(changes, commit: snapshot.commit) }
            if !report.isSound { try snapshot.claim.checkExpiry() }
        } catch { throw snapshot.claim.explained(error) }
    }

    /// Reads the log of an open store anew, and verifies that it reaches the durable commit.
    private mutating func checkLog(of core: StoreCore) throws(BullaError) {
        do throws(BullaError) { try core.log.demand().shared.check() } catch {
            guard error.code == .corrupted else { throw error }
            add(.log, page: 0, commit: error.commit ?? 0, error.message)
        }
    }

    /// Counts trees and entries, including the log's changes, unless a defect was found.
    ///
    /// - Parameters:
    ///   - changes: what the log adds to the pages that were checked.
    ///   - commit: the last commit whose changes are included in `changes`.
    mutating func count(_ changes: MemtablePair, commit: UInt64) throws(BullaError) {
        report.commit = commit
        guard report.isSound else { return }
        let catalog = MergedCatalog(
            source: pager, catalog: record.catalog, changes: changes, nextTree: record.nextTree)
        var (trees, entries) = (0, 0)
        do {
            try catalog.forEach(checkUse: nil) { _, root in
                trees += 1
                entries += Int(clamping: try pager.count(root, under: changes))
            }
        } catch {
            // Throw the error instead of reporting a defect of this store: its pages were sound
            // just now, so another file may have taken the store's place.
            throw error as? BullaError ?? pager.defect(record.catalog.pointer, "\(error)")
        }
        (report.treeCount, report.entryCount) = (trees, entries)
    }
}
