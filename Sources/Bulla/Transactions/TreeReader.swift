internal import BullaMemory

/// What can be read: the verbs that a ``Snapshot`` and a ``WriteTransaction`` share.
///
/// Keys and values are bytes. Where a verb lends bytes as a `RawSpan`, they are the store's own
/// memory, and end with the closure; copying is the caller's choice. What a verb returns as
/// `[UInt8]` or `String` is a copy on the ordinary heap, and the caller's: closing the store does
/// not wipe it.
///
/// Beyond what each verb names, all of them throw:
///
/// - `closed` and `usedAfterFork`;
/// - `snapshotExpired` where a writer has ended the snapshot, or somebody wrote over its slot;
/// - `invalidArgument` for a tree that another snapshot or transaction opened, and of a
///   transaction that has ended;
/// - `treeNotFound` for a tree that the transaction has dropped, or opened in a part of it that was
///   undone;
/// - `io` and `outOfMemory`.
///
/// For functions that read from either. A type of your own may conform too, and then reads what it
/// brings itself: nothing here gives it what a snapshot or a transaction reads from.
public protocol TreeReader: ~Copyable {
    /// Opens a tree by its name's bytes.
    ///
    /// - Throws: `treeNotFound`, which does not repeat the name; `invalidArgument` when the name is
    ///   empty or longer than 255 bytes; `corrupted` where the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    func tree(named name: RawSpan) throws(BullaError) -> Tree

    /// Opens a tree by its name's bytes, or returns `nil` where there is none.
    ///
    /// - Throws: `invalidArgument` when the name is empty or longer than 255 bytes; `corrupted`
    ///   where the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    func treeIfPresent(named name: RawSpan) throws(BullaError) -> Tree?

    /// Visits every tree in the order of their names' bytes.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    func forEachTree(_ body: (RawSpan, Tree) throws -> Void) throws

    /// How many entries a tree has.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: constant where the log says nothing of the tree since the last checkpoint.
    ///   Otherwise a walk over all that it says, and a search of the tree for each leaf that it
    ///   changes, each time anew.
    func count(of tree: Tree) throws(BullaError) -> Int

    /// What a tree is made of.
    ///
    /// Every branch and every leaf is read and verified; large values are counted by what stands of
    /// them in their leaves, and not read. Entries are counted as this reader sees them; pages, and
    /// what lies in them, are those of the checkpoint that it stands on, or those that a
    /// transaction has changed itself because the log was too short for it.
    ///
    /// - Throws: `corrupted`.
    /// - Complexity: one look at every branch and leaf of the tree, and at every slot in them. The
    ///   memory that it takes grows with the height of the tree alone. The number of entries alone
    ///   is had for less: ``count(of:)``.
    func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics

    /// A copy of the value that a key has, or `nil`.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB (stream it instead); `corrupted`.
    /// - Complexity: one page for each level of the tree.
    func value(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> [UInt8]?

    /// Copies of the values that keys have, in the order of the keys; `nil` for a key that is not
    /// there.
    ///
    /// Looks ahead: the waits for memory of many keys overlap.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB; `corrupted`.
    func values(forKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [[UInt8]?]

    /// Lends the values that keys have to `body`, in place and in the order of the keys; `nil` for
    /// a key that is not there.
    ///
    /// Looks ahead: the waits for memory of many keys overlap. A large value is lent as a copy.
    ///
    /// - Parameters:
    ///   - keys: the keys to look up; one may be in the list more than once.
    ///   - tree: where the keys are looked up.
    ///   - body: gets each key's place in the list, and its value.
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    func withValues(
        forKeys keys: [[UInt8]], in tree: Tree, _ body: (Int, RawSpan?) throws -> Void
    ) throws

    /// Lends the value that a key has to `body`, in place; `nil` where there is no such key.
    ///
    /// A large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    func withValue<R>(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R?

    /// Lends the value that a key has to `body`, in place; `false` where there is no such key.
    ///
    /// For loops over many keys: what ``withValue(forKey:in:_:)`` does, without the cost of handing
    /// back a value of any type.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    func visitValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool

    /// Whether a key is there.
    func contains(_ key: RawSpan, in tree: Tree) throws(BullaError) -> Bool

    /// Whether each of many keys is there, in the order of the keys; looks ahead.
    ///
    /// - Throws: `corrupted`.
    func contains(eachOf keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [Bool]

    /// How many bytes a key's value has, or `nil` where there is no such key.
    func valueByteCount(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> Int?

    /// Reads a part of a value.
    ///
    /// - Parameters:
    ///   - key: whose value it is.
    ///   - tree: where the key is looked up.
    ///   - offset: where the part begins; at or past the value's end nothing is read.
    ///   - buffer: as many bytes as are wanted; the first of them are overwritten.
    /// - Returns: how many bytes were read; `nil` where there is no such key.
    /// - Throws: `invalidArgument` where the offset is negative; `corrupted`.
    func readValue(
        forKey key: RawSpan, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int?

    /// Lends a value of any length to `body`, part by part in order, in bounded memory.
    ///
    /// - Returns: `false` where there is no such key.
    /// - Throws: what `body` throws; `corrupted`.
    func streamValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool

    /// Visits the entries of a range in the order of their keys, and lends each in place.
    ///
    /// - Parameters:
    ///   - tree: whose entries are visited.
    ///   - range: which of them.
    ///   - order: from which end.
    ///   - body: gets key and value; says whether to go on. A large value is lent as a copy.
    /// - Throws: what `body` throws; `valueTooLarge` at a value above 16 MiB (read such a value
    ///   with ``streamValue(forKey:in:_:)``); `corrupted`.
    func scan(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws
}

/// The verbs in terms of others: names and keys of any kind, and the ends of a tree.
extension TreeReader where Self: ~Copyable {
    /// Opens a tree by its name.
    ///
    /// - Throws: `treeNotFound`, which does not repeat the name; `invalidArgument` when the name is
    ///   empty or longer than 255 bytes; `corrupted` where the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    public func tree(named name: some ByteSource) throws(BullaError) -> Tree {
        try name.withBytes { name throws(BullaError) in try tree(named: name) }
    }

    /// Opens a tree by its name, or returns `nil` where there is none.
    ///
    /// - Throws: `invalidArgument` when the name is empty or longer than 255 bytes; `corrupted`
    ///   where the catalog is damaged.
    public func treeIfPresent(named name: some ByteSource) throws(BullaError) -> Tree? {
        try name.withBytes { name throws(BullaError) in try treeIfPresent(named: name) }
    }

    /// The names of all trees, in the order of their bytes.
    ///
    /// Each opens its tree, also where it is not UTF-8.
    ///
    /// - Throws: `corrupted` where the catalog is damaged.
    public func treeNames() throws(BullaError) -> [TreeName] {
        var names: [TreeName] = []
        do {
            try forEachTree { name, _ in
                names.append(TreeName(bytes: name.withView { $0.copied() }))
            }
        } catch { throw error as? BullaError ?? BullaError(.io, "list trees: \(error)") }
        return names
    }

    /// A copy of the value that a key has, or `nil`.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB (stream it instead); `corrupted`.
    /// - Complexity: one page for each level of the tree.
    public func value(forKey key: some ByteSource, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try key.withBytes { key throws(BullaError) in try value(forKey: key, in: tree) }
    }

    /// Lends the value that a key has to `body`, in place; `nil` where there is no such key.
    ///
    /// A large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    public func withValue<R>(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        try key.withBytes { key in try withValue(forKey: key, in: tree, body) }
    }

    /// Lends the value that a key has to `body`, in place; `false` where there is no such key.
    public func visitValue(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool { try key.withBytes { key in try visitValue(forKey: key, in: tree, body) } }

    /// Whether a key is there.
    public func contains(_ key: some ByteSource, in tree: Tree) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in try contains(key, in: tree) }
    }

    /// How many bytes a key's value has, or `nil` where there is no such key.
    public func valueByteCount(
        forKey key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Int? {
        try key.withBytes { key throws(BullaError) in
            try valueByteCount(forKey: key, in: tree)
        }
    }

    /// Reads a part of a value, from `offset` on, and returns how many bytes were read; `nil` where
    /// there is no such key.
    public func readValue(
        forKey key: some ByteSource, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        try key.withBytes { key throws(BullaError) in
            try readValue(forKey: key, in: tree, at: offset, into: &buffer)
        }
    }

    /// Lends a value of any length to `body`, part by part in order, in bounded memory; `false`
    /// where there is no such key.
    public func streamValue(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        try key.withBytes { key in try streamValue(forKey: key, in: tree, body) }
    }

    /// The entry with the smallest key, or `nil` where the tree is empty.
    ///
    /// - Throws: `valueTooLarge` where its value is above 16 MiB; `corrupted`.
    public func first(in tree: Tree) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        try end(of: tree, .ascending)
    }

    /// The entry with the greatest key, or `nil` where the tree is empty.
    ///
    /// - Throws: `valueTooLarge` where its value is above 16 MiB; `corrupted`.
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
        } catch { throw error as? BullaError ?? BullaError(.io, "read an entry: \(error)") }
        return entry
    }

    /// Visits the entries of a range, or of the whole tree, in the order of their keys, and lends
    /// each in place.
    public func scan(
        _ tree: Tree, _ range: KeyRange = .all,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws { try scan(tree, range, order: .ascending, body) }

    /// Visits the entries of the whole tree from the end that is asked for, and lends each in
    /// place.
    public func scan(
        _ tree: Tree, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws { try scan(tree, .all, order: order, body) }
}
