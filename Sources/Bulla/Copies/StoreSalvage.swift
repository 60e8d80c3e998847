internal import BullaCipher
internal import BullaMemory

/// What came of a salvage.
public struct SalvageReport: Sendable, Codable {
    /// Entries that were written into the new store.
    public internal(set) var entryCount = 0
    /// What was found in the damaged store: its defects name the ranges of keys that are lost.
    public internal(set) var check = CheckReport()
}

extension Store {
    /// Writes what still verifies of a damaged store into a new one.
    ///
    /// Every entry that a chain of verified pages leads to is kept, no other one. No byte of the
    /// damaged store is written. The new store is whole or not there.
    ///
    /// - Parameters:
    ///   - path: the damaged store.
    ///   - target: where no file may be yet.
    ///   - key: its key, and the new store's.
    ///   - timeout: how long to wait for somebody who is just opening or closing it.
    ///   - progress: told how many pages were verified so far, now and then.
    /// - Returns: how much was kept, and what was lost.
    /// - Throws: as ``check(at:key:timeout:progress:)``; `corrupted` when no commit can be reached;
    ///   `invalidArgument` where `target` is there; `full`, `io`.
    /// - Complexity: as a check, and as writing the new store.
    public static func salvage(
        from path: String, to target: String, key: StoreKey? = nil,
        timeout: Duration = .seconds(30),
        progress: ((Int) -> Void)? = nil
    ) throws(BullaError) -> SalvageReport {
        let storage = SystemStorage()
        let inspection = try StoreInspection(path, key, storage, timeout: timeout)
        guard !inspection.records.isEmpty else {
            throw BullaError(.corrupted, "salvage \(path): both meta pages are damaged")
        }
        var options = StoreOptions()
        options.pageByteCount = inspection.parts.header.format.pageByteCount
        if key != nil {
            options.suite = CipherSuite(rawValue: inspection.parts.header.suite.rawValue)
        }
        return try NewFile(path: target, storage: storage)
            .buildStore(key, options) { store throws(BullaError) in
                try inspection.salvage(to: store, progress: progress)
            }
    }
}

extension StoreInspection {
    fileprivate func salvage(
        to target: Store, progress: ((Int) -> Void)?
    ) throws(BullaError) -> SalvageReport {
        var transaction = try target.beginWrite()
        if let newest = records.first { try transaction.numberTrees(from: newest.nextTree) }
        let writer = EntryWriter(transaction, source: pager)
        var report = SalvageReport()
        report.check = try check(progress: progress, sink: writer)
        report.entryCount = try writer.commit()
        return report
    }
}

/// Puts entries of another store's pages into a transaction.
private final class EntryWriter: EntrySink {
    private let source: Pager
    private var transaction: WriteTransaction?
    private var count = 0
    private var tree: Tree?
    private var numbers: Set<UInt64> = []

    init(_ transaction: consuming WriteTransaction, source: Pager) {
        self.transaction = consume transaction
        self.source = source
    }

    func open(_ tree: ByteView, number: UInt64) throws(BullaError) {
        // Of two trees that claim one number, one is not what was written.
        let isOwn = number > 0 && numbers.insert(number).inserted
        self.tree = try transaction?.openOrCreateTree(named: tree, number: isOwn ? number : nil)
    }

    func put(_ page: TreePage, _ index: Int) throws(BullaError) {
        guard let tree else { return }
        do { try transaction?.put(page, index, of: source, in: tree) } catch {
            throw error as? BullaError
                ?? BullaError(.io, "copy an entry of \(source.file.path): \(error)")
        }
        count += 1
    }

    /// Ends the copy.
    ///
    /// - Returns: how many entries it has.
    func commit() throws(BullaError) -> Int {
        try transaction.take()?.commit()
        return count
    }
}
