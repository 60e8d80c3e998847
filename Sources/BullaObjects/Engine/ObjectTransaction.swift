public import Bulla
package import BullaMemory

/// Changes to objects, their indexes and their links, which all become visible at once.
///
/// A transaction sees its own changes. An operation that throws has changed nothing, unless its
/// documentation says otherwise.
public struct ObjectTransaction: ~Copyable, ObjectReader {
    /// Where the models' properties are in the store.
    public internal(set) var _bindings: _ObjectBindings
    private var transaction: WriteTransaction
    private let trees = OpenedTrees()

    package init(_ transaction: consuming WriteTransaction, _ bindings: _ObjectBindings) {
        self.transaction = transaction
        _bindings = bindings
    }

    /// Commits the changes, with the durability that the caller chose when the transaction began.
    package consuming func commit() throws(ObjectError) {
        do {
            try transaction.commit()
        } catch {
            throw ObjectError(error)
        }
    }

    /// Runs `body` in a savepoint of the store's transaction.
    @discardableResult
    mutating func withStoreSavepoint<R>(
        _ body: (inout WriteTransaction, _ObjectBindings) throws -> R
    ) throws -> R {
        let bindings = bindings
        return try transaction.withSavepoint { try body(&$0, bindings) }
    }

    /// Ends the object transaction, and returns the store's transaction, which goes on.
    consuming func end() -> WriteTransaction { transaction }

    /// Lends the value of a key in the tree with this number; returns `false` if there is no such
    /// key.
    public func _visitEntry(
        _ key: RawSpan, in tree: Int, _ body: (RawSpan) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        try transaction.lend(key, in: trees.tree(tree, in: transaction), body)
    }

    /// Lends the values of keys in the tree with this number.
    ///
    /// `body` gets them in the order of `keys`, each with the position of its key, and `nil` for a
    /// key that does not exist.
    public func _visitEntries(
        _ keys: [[UInt8]], in tree: Int, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        try transaction.lend(keys, in: trees.tree(tree, in: transaction), body)
    }

    /// Lends the entries of a range of a tree, in order, until `body` returns `.stop`.
    public func _scan(
        _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
        _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try transaction.lend(range, of: trees.tree(tree, in: transaction), order, body)
    }

    /// How many entries the tree with this number has.
    public func _count(of tree: Int) throws(ObjectError) -> Int {
        let tree = try trees.tree(tree, in: transaction)
        return try ObjectError.ofStore { () throws(BullaError) in try transaction.count(of: tree) }
    }

    /// Adds an entry; if its key exists already, changes nothing and returns `false`.
    package mutating func insertEntry(
        _ value: ByteView, _ key: ByteView, _ tree: Int
    ) throws(ObjectError) -> Bool {
        let tree = try trees.tree(tree, in: transaction)
        return try ObjectError.ofStore { () throws(BullaError) in
            try key.withSpan { key throws(BullaError) in
                try value.withSpan { value throws(BullaError) in
                    try transaction.insert(value, forKey: key, in: tree)
                }
            }
        }
    }

    package mutating func putEntry(
        _ value: ByteView, _ key: ByteView, _ tree: Int
    ) throws(ObjectError) {
        let tree = try trees.tree(tree, in: transaction)
        try ObjectError.ofStore { () throws(BullaError) in
            try key.withSpan { key throws(BullaError) in
                try value.withSpan { value throws(BullaError) in
                    try transaction.put(value, forKey: key, in: tree)
                }
            }
        }
    }

    package mutating func putEntry(
        _ value: [UInt8], _ key: [UInt8], _ tree: Int
    ) throws(ObjectError) {
        try key.withView { key throws(ObjectError) in
            try value.withView { value throws(ObjectError) in try putEntry(value, key, tree) }
        }
    }

    package mutating func deleteEntry(_ key: [UInt8], _ tree: Int) throws(ObjectError) {
        let tree = try trees.tree(tree, in: transaction)
        try ObjectError.ofStore { () throws(BullaError) in try transaction.delete(key, in: tree) }
    }

    package mutating func dropTree(_ number: Int) throws(ObjectError) {
        _ = try ObjectError.ofStore { () throws(BullaError) in
            try transaction.dropTree(named: ObjectTable.treeName(number))
        }
    }
}
