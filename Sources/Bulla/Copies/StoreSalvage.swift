internal import BullaCipher
internal import BullaMemory

/// The result of a salvage.
public struct SalvageReport: Sendable, Codable {
    /// How many entries were written into the new store.
    public internal(set) var entryCount = 0
    /// The check of the damaged store; its defects name the ranges of keys that are lost.
    public internal(set) var check = CheckReport()
}

extension Store {
    /// Makes a new store from what still verifies in a damaged one.
    ///
    /// It keeps the entries that a chain of verified pages leads to, with the log's changes up to
    /// where the log is damaged, and nothing else. It never writes to the damaged store. The new
    /// store appears whole or not at all.
    ///
    /// - Parameters:
    ///   - path: the damaged store.
    ///   - target: the new store's path, where no file may exist.
    ///   - key: the key of the damaged store, and of the new one.
    ///   - timeout: how long to wait for a process that is opening or closing the damaged store.
    ///   - progress: receives the progress in pages from time to time, and stops the salvage by
    ///     throwing.
    /// - Returns: how much was kept, and what was lost.
    /// - Throws: as `check(at:key:timeout:progress:)`; `corrupted` when no commit can be reached;
    ///   `invalidArgument` if a file exists at `target`; `full`, `io`. After any of these errors,
    ///   there is no new store.
    /// - Complexity: that of a check, plus that of writing the new store.
    public static func salvage(
        from path: String, to target: String, key: StoreKey? = nil,
        timeout: Duration = .seconds(30),
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) -> SalvageReport {
        let storage = SystemStorage()
        let inspection = try StoreInspection(path, key, storage, timeout: timeout)
        guard !inspection.records.isEmpty else {
            throw BullaError(.corrupted, "salvage \(path): both meta pages are damaged")
        }
        var options = StoreOptions()
        options.pageByteCount = inspection.parts.header.format.pageByteCount
        if key != nil { options.suite = CipherSuite(inspection.parts.header.suite) }
        return try NewFile(path: target, storage: storage)
            .buildStore(key, options) { store throws(BullaError) in
                try inspection.salvage(to: store, progress: progress)
            }
    }
}

extension StoreInspection {
    fileprivate func salvage(
        to target: Store, progress: ProgressReport?
    ) throws(BullaError) -> SalvageReport {
        var transaction = try target.beginWrite()
        try transaction.turn.numberTrees(from: nextTree)
        let writer = EntryWriter(
            transaction, source: pager, ChangedNames(changes), nextStored: nextStoredTree,
            next: nextTree)
        var report = SalvageReport()
        report.check = try check(progress: progress, sink: writer)
        if let changes {
            let nameless = try writer.apply(changes)
            // A whole catalog names every tree, so a tree without a name was dropped.
            let isCatalogWhole = report.check.defects.allSatisfy { $0.treeName != nil }
            for number in isCatalogWhole ? [] : nameless {
                let what = "the log has changes of tree \(number), but no page tells its name"
                report.check.add(defect(.log, what))
            }
        }
        report.entryCount = try writer.commit()
        return report
    }
}

extension CheckReport {
    fileprivate mutating func add(_ defect: StoreDefect) {
        if defects.count < Self.defectLimit { defects.append(defect) }
    }
}

/// The names that a log has given to trees, or taken away from them.
private struct ChangedNames {
    /// The names that the log has given, by the numbers of their trees.
    private(set) var given: [UInt64: [UInt8]] = [:]
    /// All names that the log mentions.
    private var changed: Set<[UInt8]> = []

    /// - Parameter changes: `nil` if there is no log to read.
    init(_ changes: MemtablePair?) {
        guard let changes else { return }
        var cursor = changes.cursor(tree: TreeRoot.catalogNumber)
        cursor.moveToEnd(.ascending)
        while let change = cursor.change {
            let name = Array(cursor.key.copied().dropFirst())
            changed.insert(name)
            if case .put(let record) = change, record.byteCount == TreeRootLayout.byteCount {
                given[TreeRootLayout.read(record).number] = name
            }
            cursor.moveToNext()
        }
    }

    /// Whether the log mentions a name; if so, the log, and not the pages, says which tree has it,
    /// if any.
    func hasTaken(_ name: [UInt8]) -> Bool { changed.contains(name) }

    /// The name that a tree has after the log's changes; `nil` if it was dropped.
    ///
    /// - Parameter stored: its name in the pages.
    func name(of number: UInt64, _ stored: [UInt8]) -> [UInt8]? {
        given[number] ?? (hasTaken(stored) ? nil : stored)
    }
}

/// Puts the entries of another store's pages into a transaction, and then applies the changes in
/// that store's log to these entries.
private final class EntryWriter: EntrySink {
    private let source: Pager
    private let names: ChangedNames
    /// Greater than the number of every tree in the pages.
    private let nextStored: UInt64
    /// Greater than the number of every tree, in the pages or in the log.
    private let next: UInt64
    private var transaction: WriteTransaction?
    private var tree: Tree?
    private var trees: [UInt64: Tree] = [:]
    /// The numbers of trees that the pages still have, but that the log has dropped.
    private var dropped: Set<UInt64> = []

    init(
        _ transaction: consuming WriteTransaction, source: Pager, _ names: ChangedNames,
        nextStored: UInt64, next: UInt64
    ) {
        self.transaction = consume transaction
        self.next = next
        self.source = source
        self.names = names
        self.nextStored = nextStored
    }

    func open(_ tree: ByteView, number: UInt64) throws(BullaError) {
        // A tree cannot have a number that was never given out. If two trees claim a number, one of
        // their records is false.
        let isOwn = number > 0 && number < nextStored && trees[number] == nil
        let stored = tree.copied()
        self.tree = nil
        if isOwn {
            guard let name = names.name(of: number, stored) else {
                dropped.insert(number)
                return
            }
            self.tree = try create(name, number)
        } else if !names.hasTaken(stored) {
            self.tree = try transaction?.openOrCreateTree(named: tree)
        }
    }

    private func create(_ name: [UInt8], _ number: UInt64) throws(BullaError) -> Tree? {
        try name.withTypedView { name throws(BullaError) in
            trees[number] = try transaction?.openOrCreateTree(named: name, number: number)
        }
        return trees[number]
    }

    /// Applies the log's changes to the entries that were copied from the pages.
    ///
    /// - Returns: the numbers of trees that the log changes, but that neither the pages nor the log
    ///   names: such a tree was dropped, or its record is lost.
    func apply(_ changes: MemtablePair) throws(BullaError) -> [UInt64] {
        for (number, name) in names.given.sorted(by: { $0.key < $1.key })
        where number < next && trees[number] == nil { _ = try create(name, number) }
        for (number, tree) in trees {
            var cursor = changes.cursor(tree: number)
            cursor.moveToEnd(.ascending)
            while let change = cursor.change {
                try cursor.key.withSpan { key throws(BullaError) in
                    try apply(change, to: key, in: tree)
                }
                cursor.moveToNext()
            }
        }
        return changes.trees().filter { number in
            number != TreeRoot.catalogNumber && number < nextStored && trees[number] == nil
                && !dropped.contains(number)
        }
    }

    /// Applies the log's change of a key.
    ///
    /// The key and the value are lent, not copied: copies would stay in memory that is not wiped.
    private func apply(
        _ change: MemtableChange, to key: RawSpan, in tree: Tree
    ) throws(BullaError) {
        switch change {
        case .put(let value):
            try value.withSpan { value throws(BullaError) -> Void in
                try transaction?.put(value, forKey: key, in: tree)
            }
        case .tombstone: try transaction?.delete(key, in: tree)
        }
    }

    func put(_ page: TreePage, _ index: Int) throws(BullaError) {
        guard let tree else { return }
        do { try transaction?.put(page, index, of: source, in: tree) } catch {
            throw BullaError(error, during: "copy an entry of \(source.file.path)")
        }
    }

    /// Commits the copy.
    ///
    /// - Returns: how many entries it has.
    func commit() throws(BullaError) -> Int {
        var count = 0
        do {
            try transaction?.forEachTree { _, tree in
                count += try transaction?.count(of: tree) ?? 0
            }
        } catch {
            throw BullaError(error, during: "count the entries of a copy of \(source.file.path)")
        }
        try transaction.take()?.commit()
        return count
    }
}
