internal import BullaMemory

/// The requirements of ``TreeReader``, which documents each method in full.
///
/// This repeats the code of ``Snapshot``. An extension of a shared protocol would be slower:
/// callers in other modules would reach the protocol's members through a witness table, unless
/// ``TreeAccess`` were visible to them.
extension WriteTransaction {
    /// Opens a tree by its name's bytes; throws `treeNotFound` if there is none.
    public func tree(named name: RawSpan) throws(BullaError) -> Tree {
        try name.withView { name throws(BullaError) in try access.existingTree(named: name) }
    }

    /// Opens a tree by its name's bytes, or returns `nil` if there is none.
    public func treeIfPresent(named name: RawSpan) throws(BullaError) -> Tree? {
        try name.withView { name throws(BullaError) in try access.tree(named: name) }
    }

    /// Visits every tree, in the order of the bytes of the names.
    public func forEachTree(_ body: (RawSpan, Tree) throws -> Void) throws {
        try access.forEachTree { name, tree in try name.withSpan { try body($0, tree) } }
    }

    /// How many entries a tree has.
    public func count(of tree: Tree) throws(BullaError) -> Int {
        Int(clamping: try access.count(tree))
    }

    /// The measures of a tree, taken by reading each of its branches and leaves.
    public func statistics(of tree: Tree) throws(BullaError) -> TreeStatistics {
        try access.statistics(of: tree)
    }

    /// A copy of a key's value; `nil` if the key is missing.
    public func value(forKey key: RawSpan, in tree: Tree) throws(BullaError) -> [UInt8]? {
        try key.withView { key throws(BullaError) in try access.copyValue(tree, key) }
    }

    /// Copies of the values of many keys, in the order of the list; prefetches.
    public func values(forKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [[UInt8]?] {
        try access.copyValues(tree, keys)
    }

    /// Lends the values of many keys to `body`, in place and in the order of the list; prefetches.
    public func withValues(
        forKeys keys: [[UInt8]], in tree: Tree, _ body: (Int, RawSpan?) throws -> Void
    ) throws {
        try access.withValues(tree, keys) { place, value in
            guard let value else { return try body(place, nil) }
            try value.withSpan { try body(place, $0) }
        }
    }

    /// Lends a key's value to `body`, in place; `false` if the key is missing.
    public func visitValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        let isThere: Void? = try key.withView { key in
            try access.withValue(tree, key) { value in try value.withSpan(body) }
        }
        return isThere != nil
    }

    /// Whether a tree has a key.
    public func contains(_ key: RawSpan, in tree: Tree) throws(BullaError) -> Bool {
        try key.withView { key throws(BullaError) in try access.contains(tree, key) }
    }

    /// For each of many keys, whether a tree has it; prefetches.
    public func presence(ofKeys keys: [[UInt8]], in tree: Tree) throws(BullaError) -> [Bool] {
        try access.contains(tree, eachOf: keys)
    }

    /// The length in bytes of a key's value; `nil` if the key is missing.
    public func valueByteCount(
        forKey key: RawSpan, in tree: Tree
    ) throws(BullaError) -> Int? {
        try key.withView { key throws(BullaError) in
            try access.valueByteCount(tree, key).map { Int(clamping: $0) }
        }
    }

    /// Reads a value's bytes from `offset` on into `buffer`, and returns how many were read; `nil`
    /// if the key is missing.
    public func readValue(
        forKey key: RawSpan, in tree: Tree, at offset: Int, into buffer: inout [UInt8]
    ) throws(BullaError) -> Int? {
        try access.readValue(tree, key, at: offset, into: &buffer)
    }

    /// Lends a value of any length to `body`, part by part; `false` if the key is missing.
    public func streamValue(
        forKey key: RawSpan, in tree: Tree, _ body: (RawSpan) throws -> Void
    ) throws -> Bool {
        try access.streamValue(tree, key, body)
    }

    /// Visits the entries of a range in key order, and lends each in place.
    public func scan(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanStep
    ) throws {
        try access.scan(tree, range, order) { key, value in
            try key.withSpan { key in try value.withSpan { value in try body(key, value) } }
        }
    }

    /// Visits the entries of a range in key order, and lends them in runs, many at a time.
    public func scanRuns(
        _ tree: Tree, _ range: KeyRange, order: ScanOrder,
        _ body: (_ bytes: RawSpan, _ entries: Span<EntryPlace>) throws -> ScanStep
    ) throws {
        try access.scan(
            tree, range, order,
            runs: { bytes, entries in
                try bytes.withSpan { bytes in try body(bytes, entries) }
            })
    }
}
