/// What the log says over the pages.
extension StoreCheck {
    /// Checks what a snapshot of an open store sees; the record is that of the snapshot.
    ///
    /// - Throws: as ``run()``; `snapshotExpired` where a writer has ended the snapshot meanwhile:
    ///   then what was found says nothing of the store.
    mutating func run(over snapshot: TreeAccess) throws(BullaError) {
        do throws(BullaError) {
            try run()
            try checkLog(of: snapshot.core)
            if let changes = snapshot.logged { try count(changes, commit: snapshot.commit) }
            if !report.isSound { try snapshot.claim.checkExpiry() }
        } catch { throw snapshot.claim.explained(error) }
    }

    /// Reads the log of an open store anew, and verifies that it reaches what is durable.
    private mutating func checkLog(of core: StoreCore) throws(BullaError) {
        do throws(BullaError) { try core.log.demand().shared.check() } catch {
            guard error.code == .corrupted else { throw error }
            add(.log, page: 0, commit: error.commit ?? 0, error.message)
        }
    }

    /// Counts trees and entries as the log has them, where no page of them is damaged.
    ///
    /// - Parameters:
    ///   - changes: over the pages that were checked.
    ///   - commit: the last of them.
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
            // Another file stands there now, say: the next page that is looked at tells.
            throw error as? BullaError ?? pager.defect(record.catalog.pointer, "\(error)")
        }
        (report.treeCount, report.entryCount) = (trees, entries)
    }
}
