public import Bulla

/// The objects of a store as of one commit, whatever is written later.
///
/// You can hold a snapshot as long as you need it, and pass it to another task. As long as it
/// exists, the pages that it sees stay in the file.
public struct ObjectSnapshot: ~Copyable, Sendable, ObjectReader {
    /// Where the models' properties are in the store.
    public let _bindings: _ObjectBindings
    private let snapshot: Snapshot
    private let trees = OpenedTrees()

    package init(_ snapshot: consuming Snapshot, _ bindings: _ObjectBindings) {
        self.snapshot = snapshot
        _bindings = bindings
    }

    /// The commit that the snapshot sees.
    public var commit: UInt64 { snapshot.commit }

    /// Lends the value of a key in the tree with this number; returns `false` if there is no such
    /// key.
    public func _visitEntry(
        _ key: RawSpan, in tree: Int, _ body: (RawSpan) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        try snapshot.lend(key, in: trees.tree(tree, in: snapshot), body)
    }

    /// Lends the values of keys in the tree with this number.
    ///
    /// `body` gets them in the order of `keys`, each with the position of its key, and `nil` for a
    /// key that does not exist.
    public func _visitEntries(
        _ keys: [[UInt8]], in tree: Int, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
    ) throws(ObjectError) { try snapshot.lend(keys, in: trees.tree(tree, in: snapshot), body) }

    /// Lends the entries of a range of a tree, in order, until `body` returns `.stop`.
    public func _scan(
        _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
        _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try snapshot.lend(range, of: trees.tree(tree, in: snapshot), order, body)
    }

    /// How many entries the tree with this number has.
    public func _count(of tree: Int) throws(ObjectError) -> Int {
        let tree = try trees.tree(tree, in: snapshot)
        return try ObjectError.ofStore { () throws(BullaError) in try snapshot.count(of: tree) }
    }

    /// The number that the store uses for a tree; `tree` is the tree's number in the schema.
    package func storeNumber(of tree: Int) throws(ObjectError) -> Int {
        try trees.tree(tree, in: snapshot).number
    }

    /// The number that the store uses for the schema's tree.
    package func schemaTreeNumber() throws(ObjectError) -> Int {
        let tree = try ObjectError.ofStore { () throws(BullaError) in
            try snapshot.tree(named: SchemaTree.name)
        }
        return tree.number
    }
}
