internal import BullaMemory

/// What can be read: the verbs that a ``Snapshot`` and a ``WriteTransaction`` share.
///
/// Keys and values are bytes. Where a verb lends bytes as a `RawSpan`, they are the store's own
/// memory, and end with the closure; copying is the caller's choice. What a verb returns as
/// `[UInt8]` or `String` is a copy on the ordinary heap, and the caller's: closing the store does
/// not wipe it.
public protocol TreeReader: ~Copyable {
    /// What the verbs stand on; of no use by itself.
    var access: TreeAccess { get }
}

extension TreeReader where Self: ~Copyable {
    /// Opens a tree by its name.
    ///
    /// - Throws: `treeNotFound`; `corrupted` where the catalog is damaged.
    /// - Complexity: one lookup in the catalog.
    public func tree(_ name: some ByteSource) throws(BullaError) -> Tree {
        guard let tree = try treeIfExists(name) else {
            throw BullaError(.treeNotFound, "open a tree: there is none of that name")
        }
        return tree
    }

    /// Opens a tree by its name, or returns `nil` where there is none.
    public func treeIfExists(_ name: some ByteSource) throws(BullaError) -> Tree? {
        try name.withBytes { name throws(BullaError) in try treeIfExists(name) }
    }

    /// Opens a tree by its name's bytes, or returns `nil` where there is none.
    public func treeIfExists(_ name: RawSpan) throws(BullaError) -> Tree? {
        try name.withView { name throws(BullaError) in try access.tree(name) }
    }

    /// The names of all trees, in the order of their bytes.
    ///
    /// A name that is not UTF-8 is repaired for print.
    public func treeNames() throws(BullaError) -> [String] {
        var names: [String] = []
        do {
            try access.forEachTree { name, _ in names.append(name.text) }
        } catch { throw error as? BullaError ?? BullaError(.io, "list trees: \(error)") }
        return names
    }

    /// Visits every tree in the order of their names' bytes.
    ///
    /// - Throws: what `body` throws; `corrupted`.
    public func forEachTree(_ body: (RawSpan, Tree) throws -> Void) throws {
        try access.forEachTree { name, tree in try name.withSpan { try body($0, tree) } }
    }

    /// How many entries a tree has.
    ///
    /// - Complexity: constant.
    public func count(of tree: Tree) throws(BullaError) -> UInt64 {
        try access.root(tree).entryCount
    }

    /// A copy of the value that a key has, or `nil`.
    ///
    /// - Throws: `valueTooLarge` above 16 MiB (stream it instead); `corrupted`.
    /// - Complexity: one page for each level of the tree.
    public func get(_ key: some ByteSource, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try key.withBytes { key throws(BullaError) in try get(key, in: tree) }
    }

    /// A copy of the value that a key has, or `nil`.
    public func get(_ key: RawSpan, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try key.withView { key throws(BullaError) in try access.copyValue(tree, key) }
    }

    /// Copies of the values that keys have, in the order of the keys; `nil` for a key that is not
    /// there.
    ///
    /// Looks ahead: the waits for memory of many keys overlap.
    ///
    /// - Throws: as ``get(_:in:)``.
    public func get(_ keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [[UInt8]?] {
        try access.copyValues(tree, keys)
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

    /// Lends the value that a key has to `body`, in place; `nil` where there is no such key.
    public func withValue<R>(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        try key.withView { key in
            try access.withValue(tree, key) { value in try value.withSpan(body) }
        }
    }

    /// Lends the values that keys have, each with the key's place in the list; `nil` for a key that
    /// is not there.
    public func withValues(
        forKeys keys: [[UInt8]], in tree: Tree, _ body: (Int, RawSpan?) throws -> Void
    ) throws {
        for (index, key) in keys.enumerated() {
            let isThere: Void? = try withValue(forKey: key, in: tree) { try body(index, $0) }
            if isThere == nil { try body(index, nil) }
        }
    }

    /// Whether a key is there.
    public func contains(_ key: some ByteSource, in tree: Tree) throws(BullaError) -> Bool {
        try key.withBytes { key throws(BullaError) in try contains(key, in: tree) }
    }

    /// Whether a key is there.
    public func contains(_ key: RawSpan, in tree: Tree) throws(BullaError) -> Bool {
        try key.withView { key throws(BullaError) in try access.contains(tree, key) }
    }

    /// How many bytes a key's value has, or `nil` where there is no such key.
    public func valueByteCount(
        forKey key: some ByteSource, in tree: Tree
    ) throws(BullaError) -> Int? {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in
                try access.valueByteCount(tree, key).map { Int(clamping: $0) }
            }
        }
    }

    /// Reads a part of a value.
    ///
    /// - Parameters:
    ///   - key: whose value it is.
    ///   - tree: where the key is looked up.
    ///   - offset: where the part begins; at or past the value's end nothing is read.
    ///   - buffer: as many bytes as are wanted; the first of them are overwritten.
    /// - Returns: how many bytes were read; `nil` where there is no such key.
    public func readValue(
        forKey key: some ByteSource, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        guard offset >= 0 else {
            throw BullaError(.invalidArgument, "read a value: offset is \(offset)")
        }
        guard let value = try found(key, tree) else { return nil }
        defer { access.pager.giveBack(value) }
        let total = value.byteCount
        let count = Int(min(total.subtractingOrZero(UInt64(offset)), UInt64(buffer.count)))
        guard count > 0 else { return 0 }
        try buffer.withMutableView { buffer throws(BullaError) in
            try access.read(value, at: UInt64(offset), into: buffer.slice(0, count))
        }
        return count
    }

    /// Lends a value of any length to `body`, part by part in order, in bounded memory.
    ///
    /// - Returns: `false` where there is no such key.
    public func streamValue(
        forKey key: some ByteSource, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        guard let value = try found(key, tree) else { return false }
        defer { access.pager.giveBack(value) }
        try access.stream(value, body)
        return true
    }

    private func found(_ key: some ByteSource, _ tree: Tree) throws(BullaError) -> FoundValue? {
        try key.withBytes { key throws(BullaError) in
            try key.withView { key throws(BullaError) in try access.found(tree, key) }
        }
    }

    /// The entry with the smallest key, or `nil` where the tree is empty.
    public func first(in tree: Tree) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        try end(of: tree, .ascending)
    }

    /// The entry with the greatest key, or `nil` where the tree is empty.
    public func last(in tree: Tree) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        try end(of: tree, .descending)
    }

    private func end(
        of tree: Tree, _ order: ScanOrder
    ) throws(BullaError) -> (key: [UInt8], value: [UInt8])? {
        var entry: (key: [UInt8], value: [UInt8])?
        do {
            try access.scan(tree, .all, order) { key, value in
                entry = (key.copied(), value.copied())
                return .stop
            }
        } catch { throw error as? BullaError ?? BullaError(.io, "read an entry: \(error)") }
        return entry
    }

    /// Visits the entries of a range in the order of their keys, and lends each in place.
    ///
    /// - Parameters:
    ///   - tree: whose entries are visited.
    ///   - range: which of them.
    ///   - order: from which end.
    ///   - body: gets key and value; says whether to go on. A large value is lent as a copy.
    /// - Throws: what `body` throws; `valueTooLarge` at a value above 16 MiB (use a cursor);
    ///   `corrupted`.
    public func scan(
        _ tree: Tree, _ range: KeyRange = .all, order: ScanOrder = .ascending,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws {
        try access.scan(tree, range, order) { key, value in
            try key.withSpan { key in try value.withSpan { value in try body(key, value) } }
        }
    }
}
