internal import BullaMemory

extension Snapshot {
    /// Visits the entries of a tree that differ between an older snapshot and this one, in key
    /// order.
    ///
    /// The name is looked up separately in each snapshot, so the two trees can have different
    /// numbers. A snapshot that has no tree of that name counts as having no entries. An entry that
    /// was put again with the same value does not differ.
    ///
    /// - Parameters:
    ///   - older: the older snapshot, usually of the same store. An entry counts as removed if only
    ///     the older snapshot has its key.
    ///   - name: the name of the tree.
    ///   - range: the range of keys to compare.
    ///   - body: receives each difference, which is valid only during the call, and returns whether
    ///     to continue.
    /// - Throws: what `body` throws; `invalidArgument` for an empty name or one of more than 255
    ///   bytes; `corrupted`, `snapshotExpired`, `io`, `outOfMemory`, `closed`, `usedAfterFork`.
    /// - Complexity: one walk over the entries of the range in both snapshots. Where a key's two
    ///   values have the same length, their bytes are compared too. Constant for a tree that did
    ///   not change between the snapshots and has no changes in the log. Memory does not grow with
    ///   the length of a value.
    public func forEachDifference(
        from older: borrowing Snapshot, inTreeNamed name: some ByteSource,
        _ range: KeyRange = .all, _ body: (borrowing EntryDifference) throws -> ScanStep
    ) throws {
        let (oldTree, newTree) = (
            try older.treeIfPresent(named: name), try treeIfPresent(named: name)
        )
        if let oldTree, let newTree, isUntouched(oldTree, newTree, of: older) { return }
        var old = try older.side(of: oldTree, range)
        var new = try side(of: newTree, range)
        try old.begin()
        try new.begin()
        while old.isOnEntry || new.isOnEntry {
            let order = try old.compare(new)
            if try order != 0 || !old.hasValue(of: new) {
                let (olderValue, newerValue) = (
                    try order > 0 ? nil : old.value(), try order < 0 ? nil : new.value()
                )
                func lend(_ key: ByteView) throws -> ScanStep {
                    try body(EntryDifference(key, older: olderValue, newer: newerValue))
                }
                let step = try order > 0 ? new.withKey(lend) : old.withKey(lend)
                guard step == .next else { return }
            }
            if order <= 0 { try old.step() }
            if order >= 0 { try new.step() }
        }
    }

    private func side(
        of tree: Tree?, _ range: KeyRange
    ) throws(BullaError) -> DifferenceSide {
        guard let tree else {
            return DifferenceSide(access, nil, range, Cursor(access, .empty))
        }
        return DifferenceSide(access, tree, range, try access.makeCursor(in: tree))
    }

    /// Whether both trees have the same pages and no changes in the log.
    private func isUntouched(
        _ oldTree: Tree, _ newTree: Tree, of older: borrowing Snapshot
    ) -> Bool {
        access.core === older.access.core && oldTree.root == newTree.root
            && !access.isChanged(newTree) && !older.access.isChanged(oldTree)
    }
}

/// One of the two compared snapshots, and the entry that the walk has reached there.
private struct DifferenceSide: ~Copyable {
    private let access: TreeAccess
    private let range: KeyRange
    /// `nil` if the snapshot has no tree of that name.
    private let tree: Tree?
    private var cursor: Cursor
    private(set) var isOnEntry = false

    /// Values up to this many bytes are compared in place, longer ones part by part.
    private static let wholeByteLimit = 16 << 10
    private static let partByteCount = 256 << 10

    /// - Parameter cursor: a cursor over the tree, or over an empty tree if `tree` is `nil`.
    init(
        _ access: TreeAccess, _ tree: Tree?, _ range: KeyRange, _ cursor: consuming Cursor
    ) {
        (self.access, self.tree, self.range) = (access, tree, range)
        self.cursor = cursor
    }

    /// Goes to the first entry of the range.
    mutating func begin() throws {
        try stand(
            range.lower.isEmpty ? cursor.moveToFirst() : cursor.seek(to: range.lower))
    }

    mutating func step() throws { try stand(cursor.moveToNext()) }

    /// Notes whether the cursor stands on an entry that is inside the range.
    private mutating func stand(_ isThere: Bool) throws {
        let range = range
        isOnEntry = try isThere && cursor.withKey { key in key.withView { range.reaches($0) } }
    }

    func withKey<R>(_ body: (ByteView) throws -> R) throws -> R {
        try cursor.withKey { key in try key.withView(body) }
    }

    /// Compares the keys of the two sides' current entries; a side with no entry left sorts last.
    func compare(_ other: borrowing DifferenceSide) throws -> Int {
        guard isOnEntry, other.isOnEntry else { return isOnEntry ? -1 : 1 }
        return try withKey { key in try other.withKey { key.compare($0) } }
    }

    /// Where to look up the current entry's value; `nil` if there is no tree.
    func value() throws -> DifferingValue? {
        guard let tree else { return nil }
        return DifferingValue(access: access, tree: tree, byteCount: try cursor.valueByteCount)
    }

    /// Whether both sides, which stand on the same key, have the same value for it.
    func hasValue(of other: borrowing DifferenceSide) throws -> Bool {
        let byteCount = try cursor.valueByteCount
        guard try byteCount == other.cursor.valueByteCount else { return false }
        guard byteCount > Self.wholeByteLimit else {
            return try cursor.withValue { value in
                try other.cursor.withValue { other in
                    value.withView { value in other.withView { value == $0 } }
                }
            }
        }
        guard let own = try found() else { return false }
        defer { own.end() }
        guard let others = try other.found() else { return false }
        defer { others.end() }
        // In one store, equal descriptors name the same pages, and no page changes while a snapshot
        // sees it.
        if case .large(let own) = own.value, case .large(let others) = others.value, own == others,
            access.core === other.access.core
        {
            return true
        }
        return try Self.haveSameBytes(byteCount, own, others)
    }

    /// Compares two values of the same length part by part.
    private static func haveSameBytes(
        _ byteCount: Int, _ own: FoundValueReader, _ others: FoundValueReader
    ) throws -> Bool {
        let memory = try (Buffer.make(Self.partByteCount), Buffer.make(Self.partByteCount))
        for offset in stride(from: 0, to: byteCount, by: Self.partByteCount) {
            let count = min(Self.partByteCount, byteCount - offset)
            let (part, otherPart) = (
                memory.0.bytes.slice(0, count), memory.1.bytes.slice(0, count)
            )
            try own.read(at: UInt64(offset), into: part)
            try others.read(at: UInt64(offset), into: otherPart)
            guard part.view == otherPart.view else { return false }
        }
        return true
    }

    private func found() throws -> FoundValueReader? {
        guard let tree else { return nil }
        return try withKey { key in try access.found(tree, key) }
            .map { FoundValueReader(access: access, value: $0) }
    }
}
