internal import BullaMemory

/// The methods that read, which ``Snapshot`` and ``WriteTransaction`` share.
///
/// Keys and values are bytes. If a method lends bytes as a `RawSpan`, they lie in the store's own
/// memory and are valid until the closure returns; the caller can copy them. If a method returns
/// `[UInt8]` or `String`, that is a copy on the ordinary heap. It belongs to the caller, and
/// closing the store does not wipe it.
///
/// Besides the errors that its own documentation names, each method throws:
///
/// - `closed` and `usedAfterFork`;
/// - `snapshotExpired` if a writer has ended the snapshot, or if its reader slot was overwritten;
/// - `invalidArgument` for a tree that another snapshot or transaction opened, and after a
///   transaction has ended;
/// - `treeNotFound` for a tree that the transaction has dropped, or opened in a savepoint that was
///   undone;
/// - `io` and `outOfMemory`.
///
/// Use the protocol for functions that read from either type. Only these two types conform. Write
/// no conformance of your own: any version may add requirements, and no conformance gets access to
/// the data of a snapshot or a transaction.
public protocol TreeReader: ~Copyable {
    /// Opens a tree by its name's bytes.
    ///
    /// - Throws: `treeNotFound`, which does not repeat the name; `invalidArgument` if the name is
    ///   empty or longer than 255 bytes; `corrupted` if the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    func tree(named name: RawSpan) throws(BullaError) -> Tree

    /// Opens a tree by its name's bytes, or returns `nil` if there is none.
    ///
    /// - Throws: `invalidArgument` if the name is empty or longer than 255 bytes; `corrupted`
    ///   if the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    func treeIfPresent(named name: RawSpan) throws(BullaError) -> Tree?

    /// Visits every tree, in the order of the bytes of the names.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    func forEachTree(_ body: (RawSpan, Tree) throws -> Void) throws

    /// How many entries a tree has.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: constant if the log has no changes for the tree since the last checkpoint.
    ///   Otherwise each call walks over all those changes, and searches the tree once for each leaf
    ///   that they affect.
    func count(of tree: Tree) throws(BullaError) -> Int

    /// The measures of a tree.
    ///
    /// Reads and verifies every branch and every leaf. It does not read large values, but counts
    /// them by their descriptors in the leaves. The entry count is that of the tree as this reader
    /// sees it. All other measures cover the pages of the checkpoint that the reader reads or, in a
    /// transaction that has outgrown the log, the transaction's own pages.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: one read of every branch and leaf of the tree, and of every slot in them. The
    ///   memory grows only with the height of the tree. For the number of entries alone,
    ///   ``count(of:)`` is cheaper.
    func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics

    /// A copy of a key's value; `nil` if the key is missing.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB (stream it instead); `corrupted`.
    /// - Complexity: one page for each level of the tree.
    func value(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> [UInt8]?

    /// Copies of the values of many keys, in the order of the list; `nil` for a missing key.
    ///
    /// The method prefetches: it waits for the memory of many keys at once.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB; `corrupted`.
    func values(forKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [[UInt8]?]

    /// Lends the values of many keys to `body`, in place and in the order of the list; `nil` for a
    /// missing key.
    ///
    /// The method prefetches: it waits for the memory of many keys at once. A large value is lent
    /// as a copy.
    ///
    /// - Parameters:
    ///   - keys: the keys to look up, in any order; a key can be in the list more than once.
    ///   - tree: the tree in which to look up the keys.
    ///   - body: receives each key's place in the list, and its value.
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    func withValues(
        forKeys keys: [[UInt8]], in tree: Tree, _ body: (Int, RawSpan?) throws -> Void
    ) throws

    /// Lends a key's value to `body`, in place; `false` if the key is missing.
    ///
    /// A large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    func visitValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool

    /// Whether a tree has a key.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: one page for each level of the tree.
    func contains(_ key: RawSpan, in tree: Tree) throws(BullaError) -> Bool

    /// For each of many keys, in the order of the list, whether a tree has it.
    ///
    /// The method prefetches: it waits for the memory of many keys at once.
    ///
    /// - Throws: `corrupted`.
    func presence(ofKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [Bool]

    /// The length in bytes of a key's value; `nil` if the key is missing.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: one page for each level of the tree, whatever the length of the value.
    func valueByteCount(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> Int?

    /// Reads a part of a value.
    ///
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - tree: the tree in which to look up the key.
    ///   - offset: the offset in bytes at which the part begins; nothing is read at or past the
    ///     value's end.
    ///   - buffer: receives the bytes at its start; its length is the maximum number of bytes to
    ///     read.
    /// - Returns: how many bytes were read; `nil` if the key is missing.
    /// - Throws: `invalidArgument` if the offset is negative; `corrupted`.
    func readValue(
        forKey key: RawSpan, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int?

    /// Lends a value of any length to `body`, part by part in order, in bounded memory.
    ///
    /// - Returns: `false` if the key is missing.
    /// - Throws: what `body` throws; `corrupted`.
    func streamValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool

    /// Visits the entries of a range in key order, and lends each in place.
    ///
    /// - Parameters:
    ///   - tree: the tree to visit.
    ///   - range: the range of keys to visit.
    ///   - order: whether to visit them in ascending or in descending order.
    ///   - body: receives key and value, and returns whether to continue. A large value is lent as
    ///     a copy.
    /// - Throws: what `body` throws; `valueTooLarge` for a value above 16 MiB (read such a value
    ///   with ``streamValue(forKey:in:_:)``); `corrupted`.
    func scan(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws

    /// Visits the entries of a range in key order, and lends them in runs, many at a time.
    ///
    /// It visits what ``scan(_:_:order:_:)`` visits, with one call for many entries. A run has at
    /// most 128 entries, which lie in one leaf and follow one another in the scan's order. An entry
    /// that the log or the transaction has changed is a run of its own. No run is empty, but do not
    /// rely on the length of runs otherwise: any version may change it.
    ///
    /// Each place lies within the run's bytes, whatever the file holds. Bytes outside the places
    /// mean nothing: they can belong to entries outside the range, or to deleted ones.
    ///
    /// - Parameters:
    ///   - tree: the tree to visit.
    ///   - range: the range of keys to visit.
    ///   - order: whether to visit them in ascending or in descending order.
    ///   - body: receives the bytes in which a run lies, and the place of each entry in them;
    ///     returns whether to continue. The place of a large value is `nil`; to read that value,
    ///     call a method that takes the entry's key. `body` itself may call it.
    /// - Throws: what `body` throws; `corrupted`.
    /// - Complexity: as a scan, with no memory allocated for a leaf or an entry. A run's places are
    ///   found before `body` gets the first of them, so a scan that stops after a few entries is
    ///   better off with ``scan(_:_:order:_:)``.
    func scanRuns(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ bytes: RawSpan, _ entries: Span<EntryPlace>) throws -> ScanStep
    ) throws
}

/// The protocol's methods for names and keys of any type, and methods that read a tree's first or
/// last entry.
extension TreeReader where Self: ~Copyable {
    /// Opens a tree by its name.
    ///
    /// - Throws: `treeNotFound`, which does not repeat the name; `invalidArgument` if the name is
    ///   empty or longer than 255 bytes; `corrupted` if the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    @inlinable
    public func tree(named name: some ByteSource) throws(BullaError) -> Tree {
        try name.withBytes { name throws(BullaError) in try tree(named: name) }
    }

    /// Opens a tree by its name, or returns `nil` if there is none.
    ///
    /// - Throws: `invalidArgument` if the name is empty or longer than 255 bytes; `corrupted`
    ///   if the catalog is damaged.
    @inlinable
    public func treeIfPresent(named name: some ByteSource) throws(BullaError) -> Tree? {
        try name.withBytes { name throws(BullaError) in try treeIfPresent(named: name) }
    }

    /// The names of all trees, in the order of their bytes.
    ///
    /// Each name opens its tree, even if it is not UTF-8.
    ///
    /// - Throws: `corrupted` if the catalog is damaged.
    public func treeNames() throws(BullaError) -> [TreeName] {
        var names: [TreeName] = []
        do {
            try forEachTree { name, _ in
                names.append(TreeName(bytes: name.withView { $0.copied() }))
            }
        } catch { throw BullaError(error, during: "list trees") }
        return names
    }

    /// A copy of a key's value; `nil` if the key is missing.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB (stream it instead); `corrupted`.
    /// - Complexity: one page for each level of the tree.
    @inlinable
    public func value(forKey key: some ByteSource, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try key.withBytes { key throws(BullaError) in try value(forKey: key, in: tree) }
    }

    /// Lends a key's value to `body`, in place; `nil` if the key is missing.
    ///
    /// A large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    @inlinable
    public func withValue<R>(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        // Inlinable: otherwise the same compiled code would serve every type `R`, and would look up
        // the type's metadata at each use.
        var result: R?
        _ = try visitValue(forKey: key, in: tree) { value in result = try body(value) }
        return result
    }

    /// Lends a key's value to `body`, in place; `nil` if the key is missing.
    ///
    /// A large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    @inlinable
    public func withValue<R>(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        try key.withBytes { key in try withValue(forKey: key, in: tree, body) }
    }

    /// Lends a key's value to `body`, in place; `false` if the key is missing.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    @inlinable
    public func visitValue(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool { try key.withBytes { key in try visitValue(forKey: key, in: tree, body) } }

    /// Whether a tree has a key.
    ///
    /// - Throws: `corrupted`.
    @inlinable
    public func contains(_ key: some ByteSource, in tree: Tree) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in try contains(key, in: tree) }
    }

    /// The length in bytes of a key's value; `nil` if the key is missing.
    ///
    /// - Throws: `corrupted`.
    @inlinable
    public func valueByteCount(
        forKey key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Int? {
        try key.withBytes { key throws(BullaError) in
            try valueByteCount(forKey: key, in: tree)
        }
    }

    /// Reads a value's bytes from `offset` on into `buffer`, and returns how many were read; `nil`
    /// if the key is missing.
    ///
    /// - Throws: `invalidArgument` if the offset is negative; `corrupted`.
    @inlinable
    public func readValue(
        forKey key: some ByteSource, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        try key.withBytes { key throws(BullaError) in
            try readValue(forKey: key, in: tree, at: offset, into: &buffer)
        }
    }

    /// Lends a value of any length to `body`, part by part in order, in bounded memory; `false` if
    /// the key is missing.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    @inlinable
    public func streamValue(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        try key.withBytes { key in try streamValue(forKey: key, in: tree, body) }
    }

    /// The entry with the smallest key; `nil` if the tree is empty.
    ///
    /// - Throws: `valueTooLarge` if its value is above 16 MiB; `corrupted`.
    public func first(in tree: Tree) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        try end(of: tree, .ascending)
    }

    /// The entry with the greatest key; `nil` if the tree is empty.
    ///
    /// - Throws: `valueTooLarge` if its value is above 16 MiB; `corrupted`.
    public func last(in tree: Tree) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        try end(of: tree, .descending)
    }

    private func end(
        of tree: Tree, _ order: ScanOrder
    ) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        var entry: (key: [UInt8], value: [UInt8])?
        do {
            try scan(tree, .all, order: order) { key, value in
                entry = (key.withView { $0.copied() }, value.withView { $0.copied() })
                return .stop
            }
        } catch { throw BullaError(error, during: "read an entry") }
        return entry
    }

    /// Visits the entries of a range, or of the whole tree, in key order, and lends each in place.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` for a value above 16 MiB; `corrupted`.
    public func scan(
        _ tree: Tree, _ range: KeyRange = .all,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws { try scan(tree, range, order: .ascending, body) }

    /// Visits the entries of the whole tree in the given order, and lends each in place.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` for a value above 16 MiB; `corrupted`.
    public func scan(
        _ tree: Tree, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws { try scan(tree, .all, order: order, body) }

    /// Visits the entries of a range, or of the whole tree, in key order, and lends them in runs.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    public func scanRuns(
        _ tree: Tree, _ range: KeyRange = .all,
        _ body: (_ bytes: RawSpan, _ entries: Span<EntryPlace>) throws -> ScanStep
    ) throws { try scanRuns(tree, range, order: .ascending, body) }

    /// Visits the entries of the whole tree in the given order, and lends them in runs.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    public func scanRuns(
        _ tree: Tree, order: ScanOrder,
        _ body: (_ bytes: RawSpan, _ entries: Span<EntryPlace>) throws -> ScanStep
    ) throws { try scanRuns(tree, .all, order: order, body) }
}
