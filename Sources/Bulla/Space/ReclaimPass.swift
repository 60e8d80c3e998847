internal import BullaMemory

/// One pass through the pending frees, which finds pages that may be used again and pages that a
/// snapshot holds back.
///
/// Every record that the pass visits is deleted: its pages go to the free map, or to a record of
/// the snapshot that needs them.
struct ReclaimPass {
    /// The limits of one pass; the commits between two passes usually free less.
    private static let pageLimit: UInt64 = 1 << 16
    private static let recordLimit = 1 << 10

    /// The commits that living snapshots read, ascending.
    private let snapshots: [UInt64]
    private(set) var reusable: [PageRun] = []
    /// The items that snapshots hold back, under their new keys.
    private(set) var held: [(key: [UInt8], items: [PendingFrees.Item])] = []
    /// The keys of the records that the pass visited.
    private(set) var visited: [[UInt8]] = []
    private var pageCount: UInt64 = 0

    init(snapshots: [UInt64]) {
        invariant(
            zip(snapshots, snapshots.dropFirst()).allSatisfy { $0 < $1 },
            "snapshots are told in the order of their commits, each once")
        self.snapshots = snapshots
    }

    var isFull: Bool { pageCount >= Self.pageLimit || visited.count >= Self.recordLimit }

    func lives(_ snapshot: UInt64) -> Bool { snapshots.contains(snapshot) }

    mutating func visit(
        _ key: ByteView, _ value: ByteView, _ ledger: SpaceLedger
    ) throws(BullaError) {
        guard let name = PendingFrees.Name(key) else {
            throw ledger.catalog.catalogDefect("a record of its pending frees has a wrong key")
        }
        guard PendingFrees.isSound(value) else {
            throw ledger.catalog.catalogDefect("a record of its pending frees has a wrong length")
        }
        visited.append(key.copied())
        let snapshot = holder(ofFreesBy: name.commit)
        var needed: [PendingFrees.Item] = []
        for item in PendingFrees.items(value) {
            try check(item.run, ledger)
            if let snapshot, snapshot >= item.birth {
                needed.append(item)
            } else {
                try add(item.run, ledger)
            }
        }
        guard let snapshot, !needed.isEmpty else { return }
        held.append((CatalogKey.held(by: snapshot, name.commit, name.sequence), needed))
    }

    /// The newest snapshot that reads a commit before `commit`.
    ///
    /// Of the pages that the commit freed, this snapshot can read those that are not newer than the
    /// snapshot, and no snapshot can read the others.
    ///
    /// Older snapshots may need some of those pages too. But if snapshots end in the order in which
    /// they began, no snapshot needs the pages once this one ends.
    private func holder(ofFreesBy commit: UInt64) -> UInt64? { snapshots.last { $0 < commit } }

    private func check(_ run: PageRun, _ ledger: SpaceLedger) throws(BullaError) {
        let pageCount = ledger.space.pageCount
        guard run.start >= ledger.keeper.format.firstPage, run.count > 0,
            run.count <= pageCount, run.start <= pageCount - run.count
        else {
            throw ledger.catalog.catalogDefect("its pending frees name pages that do not exist")
        }
    }

    private mutating func add(_ run: PageRun, _ ledger: SpaceLedger) throws(BullaError) {
        reusable.append(run)
        pageCount += run.count
        guard pageCount <= ledger.space.pageCount else {
            throw ledger.catalog.catalogDefect("its pending frees name pages more than once")
        }
    }
}
