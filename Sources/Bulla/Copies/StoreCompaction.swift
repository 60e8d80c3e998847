internal import BullaCipher
internal import BullaMemory

extension Store {
    /// Writes a dense copy of the newest durable commit, under a key of its own.
    ///
    /// The copy appears whole or not at all, because it is built under another name. Writers can go
    /// on meanwhile.
    ///
    /// - Parameters:
    ///   - path: the copy's path, where no file may exist.
    ///   - key: the copy's key; `nil` makes a plain copy.
    ///   - options: the copy's options. Where they leave the page size or the cipher suite `nil`,
    ///     the copy gets this store's.
    ///   - progress: receives the progress in entries from time to time, and stops the copy by
    ///     throwing.
    /// - Throws: what `progress` throws; `invalidArgument` if a file exists at `path`; `corrupted`
    ///   if this store is damaged; `snapshotExpired` if writers needed the commit's pages meanwhile
    ///   (``StoreOptions/snapshotCommitLimit``); `readersFull`, `busy`, `closed`, `usedAfterFork`,
    ///   `outOfMemory`, `full`, `io`.
    public func compact(
        to path: String, key: StoreKey?, options: StoreOptions = StoreOptions(),
        progress: ((TaskProgress) throws(BullaError) -> Void)? = nil
    ) throws(BullaError) {
        let compaction = StoreCompaction(source: self, progress: progress)
        try NewFile(path: path, storage: core.parts.storage)
            .buildStore(key, compaction.options(options, key)) { target throws(BullaError) in
                try compaction.copy(to: target)
            }
    }
}

/// A dense copy of a store.
private struct StoreCompaction {
    let source: Store
    let progress: ProgressReport?

    /// The options of the copy, with this store's page size and cipher suite in place of missing
    /// ones.
    func options(_ options: StoreOptions, _ key: StoreKey?) -> StoreOptions {
        let header = source.core.parts.header
        var copy = options
        copy.pageByteCount = options.pageByteCount ?? header.format.pageByteCount
        if key != nil { copy.suite = options.suite ?? CipherSuite(header.suite) }
        return copy
    }

    func copy(to target: Store) throws(BullaError) {
        do {
            let snapshot = try source.makeSnapshot()
            var transaction = try target.beginWrite()
            // Blobs are bound to their tree's number, so the copy must not give a new tree a number
            // that a tree of this store has had.
            let nextTree = try source.core.board.checkpoint().nextTree
            try transaction.turn.numberTrees(from: max(nextTree, snapshot.access.nextTree))
            var copier = TreeCopier(
                source: source.core.pager, progress: progress, total: try total(of: snapshot))
            try snapshot.forEachTree { name, tree in
                let target = try name.withView {
                    try transaction.openOrCreateTree(named: $0, number: tree.root.number)
                }
                if snapshot.access.isChanged(tree) {
                    try copier.copy(tree, of: snapshot, to: &transaction, target)
                } else {
                    // This bypasses the snapshot's methods, which would notice that a writer has
                    // ended the snapshot; `lending` notices it instead.
                    try snapshot.access.claim.lending {
                        try copier.copy(tree.root, to: &transaction, target)
                    }
                }
            }
            try transaction.commit()
            try progress?(copier.completed)
        } catch { throw BullaError(error, during: "copy \(source.path)") }
    }

    /// How many entries there are to copy; `nil` if no progress is reported.
    private func total(of snapshot: borrowing Snapshot) throws -> Int? {
        guard progress != nil else { return nil }
        var total = 0
        try snapshot.forEachTree { _, tree in
            let count = try snapshot.count(of: tree)
            // A damaged store can claim any number.
            let (sum, isTooMany) = total.addingReportingOverflow(count)
            total = isTooMany ? .max : sum
        }
        return total
    }
}

/// Copies trees entry by entry, in order, so that the copy's pages are full.
private struct TreeCopier {
    let source: Pager
    let progress: ProgressReport?
    let total: Int?
    var count = 0

    var completed: TaskProgress { TaskProgress(completed: count, total: total) }

    mutating func copy(
        _ root: TreeRoot, to transaction: inout WriteTransaction, _ target: Tree
    ) throws {
        let scan = TreeScan(source: source, root: root, range: .all, order: .ascending)
        try scan.forEachEntry { page, index in
            try transaction.put(page, index, of: source, in: target)
            try tell()
            return .next
        }
    }

    /// Copies a tree that has changes in the log.
    mutating func copy(
        _ tree: Tree, of snapshot: borrowing Snapshot, to transaction: inout WriteTransaction,
        _ target: Tree
    ) throws {
        var cursor = try snapshot.makeCursor(in: tree)
        while try cursor.moveToNext() {
            // The key and the value are lent, not copied: copies would stay in memory that is not
            // wiped.
            try cursor.withKey { key in
                let byteCount = try cursor.valueByteCount
                if byteCount <= Int(PageFormat.lentValueByteLimit) {
                    try cursor.withValue { try transaction.put($0, forKey: key, in: target) }
                } else {
                    try key.withView { view in
                        try transaction.putStream(view, in: target) { write in
                            _ = try snapshot.streamValue(forKey: key, in: tree) { try write($0) }
                        }
                    }
                }
            }
            try tell()
        }
    }

    private mutating func tell() throws(BullaError) {
        count += 1
        if count % 4096 == 0 { try progress?(completed) }
    }
}

extension WriteTransaction {
    /// Copies an entry of another store's leaf.
    mutating func put(
        _ page: TreePage, _ index: Int, of source: Pager, in tree: Tree
    ) throws {
        let key = page.key(index)
        guard !page.isLarge(index) else {
            let value = LargeValue(page.payload(index))
            return try putStream(key, in: tree) { try value.stream(from: source, to: $0) }
        }
        try key.withSpan { key in
            try page.payload(index).withSpan { try put($0, forKey: key, in: tree) }
        }
    }
}

extension LargeValue {
    /// Lends the value part by part.
    fileprivate func stream(
        from source: Pager, to write: (RawSpan) throws(BullaError) -> Void
    ) throws(BullaError) {
        let buffer = try Buffer.make(1 << 18)
        var position: UInt64 = 0
        while position < byteCount {
            let count = Int(min(byteCount - position, UInt64(buffer.bytes.byteCount)))
            let part = buffer.bytes.slice(0, count)
            try source.read(self, at: position, into: part)
            try part.view.withSpan { span throws(BullaError) in try write(span) }
            position += UInt64(count)
        }
    }
}
