internal import BullaCipher
internal import BullaMemory

extension Store {
    /// Writes a dense copy of the newest durable commit, under a key of its own.
    ///
    /// The copy is whole or not there: it is built under another name. Writers may go on meanwhile.
    ///
    /// - Parameters:
    ///   - path: where no file may be yet.
    ///   - key: the copy's key; `nil` makes a plain copy.
    ///   - options: page size and suite of the copy; where they are `nil`, those of this store.
    ///   - progress: told how many entries were copied so far, now and then.
    /// - Throws: `invalidArgument` where a file is there already; `corrupted` where this store is
    ///   damaged; `full`, `io`.
    public func compact(
        to path: String, key: StoreKey?, options: StoreOptions = StoreOptions(),
        progress: ((Int) -> Void)? = nil
    ) throws(BullaError) {
        try NewFile(path: path, storage: core.parts.storage)
            .buildStore(key, copyOptions(options, key)) { target throws(BullaError) in
                try copy(to: target, progress: progress)
            }
    }

    private func copyOptions(_ options: StoreOptions, _ key: StoreKey?) -> StoreOptions {
        let header = core.parts.header
        var copy = options
        copy.pageByteCount = options.pageByteCount ?? header.format.pageByteCount
        if key != nil { copy.suite = options.suite ?? CipherSuite(rawValue: header.suite.rawValue) }
        return copy
    }

    private func copy(
        to target: Store, progress: ((Int) -> Void)?
    ) throws(BullaError) {
        do {
            let snapshot = try makeSnapshot()
            var transaction = try target.beginWrite()
            // What is sealed in a tree is bound to its number.
            let nextTree = try core.board.checkpoint().nextTree
            try transaction.numberTrees(from: max(nextTree, snapshot.access.nextTree))
            var copier = TreeCopier(source: core.pager, progress: progress)
            try snapshot.forEachTree { name, tree in
                let target = try name.withView {
                    try transaction.openOrCreateTree(named: $0, number: tree.root.number)
                }
                if snapshot.access.isChanged(tree) {
                    try copier.copy(tree, of: snapshot, to: &transaction, target)
                } else {
                    try copier.copy(tree.root, to: &transaction, target)
                }
            }
            try transaction.commit()
            progress?(copier.count)
        } catch { throw error as? BullaError ?? BullaError(.io, "copy \(self.path): \(error)") }
    }
}

/// Copies trees entry by entry, in order, so that the copy's pages are full.
private struct TreeCopier {
    let source: Pager
    let progress: ((Int) -> Void)?
    var count = 0

    mutating func copy(
        _ root: TreeRoot, to transaction: inout WriteTransaction, _ target: Tree
    ) throws {
        let scan = TreeScan(source: source, root: root, range: .all, order: .ascending)
        try scan.forEachEntry { page, index in
            try transaction.put(page, index, of: source, in: target)
            tell()
            return .next
        }
    }

    /// Copies a tree of which the log says something.
    mutating func copy(
        _ tree: Tree, of snapshot: borrowing Snapshot, to transaction: inout WriteTransaction,
        _ target: Tree
    ) throws {
        var cursor = try snapshot.makeCursor(in: tree)
        while try cursor.moveToNext() {
            let key = try cursor.withKey { $0.withView { $0.copied() } }
            if try cursor.valueByteCount <= Int(PageFormat.lentValueByteLimit) {
                try cursor.withValue { value in
                    try key.withView { key in
                        try key.withSpan { try transaction.put(value, forKey: $0, in: target) }
                    }
                }
            } else {
                try transaction.putStream(forKey: key, in: target) { write in
                    _ = try snapshot.streamValue(forKey: key, in: tree) { try write($0) }
                }
            }
            tell()
        }
    }

    private mutating func tell() {
        count += 1
        if count % 4096 == 0 { progress?(count) }
    }
}

extension WriteTransaction {
    /// Copies an entry of another store's leaf.
    mutating func put(
        _ page: TreePage, _ index: Int, of source: Pager, in tree: Tree
    ) throws {
        let key = page.key(index)
        guard !page.isLarge(index) else {
            return try putLarge(key, LargeValue(page.payload(index)), of: source, in: tree)
        }
        try key.withSpan { key in
            try page.payload(index).withSpan { try put($0, forKey: key, in: tree) }
        }
    }

    /// Copies a large value of another store, part by part.
    fileprivate mutating func putLarge(
        _ key: ByteView, _ value: LargeValue, of source: Pager, in tree: Tree
    ) throws {
        let buffer = try Buffer.make(1 << 18)
        try putStream(key, in: tree) { write in
            var position: UInt64 = 0
            while position < value.byteCount {
                let count = Int(min(value.byteCount - position, UInt64(buffer.bytes.byteCount)))
                let part = buffer.bytes.slice(0, count)
                try source.read(value, at: position, into: part)
                try part.view.withSpan { try write($0) }
                position += UInt64(count)
            }
        }
    }
}
