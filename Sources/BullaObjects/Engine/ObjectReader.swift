public import Bulla
package import BullaMemory

/// A source of objects: an ``ObjectSnapshot``, or an ``ObjectTransaction``, which sees its own
/// changes.
///
/// Only these two types conform. The requirements give this module access to the trees that hold
/// the objects. They are public only because a public protocol cannot hide its requirements: do not
/// call them.
public protocol ObjectReader: ~Copyable {
    /// Where the models' properties are in the store.
    var _bindings: _ObjectBindings { get }

    /// Lends the value of a key in the tree with this number; returns `false` if there is no such
    /// key.
    ///
    /// - Throws: what `body` throws; `store`, `damaged`.
    func _visitEntry(
        _ key: RawSpan, in tree: Int, _ body: (RawSpan) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool

    /// Lends the values of keys in the tree with this number, reading ahead.
    ///
    /// `body` gets them in the order of `keys`, each with the position of its key in `keys`, and
    /// `nil` for a key that does not exist.
    ///
    /// - Throws: what `body` throws; `store`, `damaged`.
    func _visitEntries(
        _ keys: [[UInt8]], in tree: Int, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
    ) throws(ObjectError)

    /// Lends the entries of a range of a tree, in order, until `body` returns `.stop`.
    ///
    /// - Throws: what `body` throws; `store`, `damaged`.
    func _scan(
        _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
        _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
    ) throws(ObjectError)

    /// How many entries the tree with this number has.
    ///
    /// - Throws: `store`, `damaged`.
    func _count(of tree: Int) throws(ObjectError) -> Int
}

/// The operations of the protocol, with byte views instead of spans, and further operations based
/// on them.
extension ObjectReader where Self: ~Copyable {
    package var bindings: _ObjectBindings { _bindings }

    package func visitEntry(
        _ key: ByteView, in tree: Int, _ body: (ByteView) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        try key.withSpan { key throws(ObjectError) in
            try _visitEntry(key, in: tree) { value throws(ObjectError) in
                try value.withView(body)
            }
        }
    }

    package func scan(
        _ tree: Int, _ range: KeyRange, _ order: ScanOrder,
        _ body: (ByteView, ByteView) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try _scan(tree, range, order) { (key: RawSpan, value: RawSpan) throws(ObjectError) in
            try key.withView { key throws(ObjectError) in
                try value.withView { value throws(ObjectError) in try body(key, value) }
            }
        }
    }

    /// Lends an object to `body`; returns `false` if there is no such object.
    package func visitObject(
        _ key: ByteView, in table: ObjectTable,
        _ body: (ObjectBytes) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        try visitEntry(key, in: table.number) { row throws(ObjectError) in
            try body(table.object(key, row))
        }
    }

    /// Lends an object to `body`, and returns the result of `body`; `nil` if there is no such
    /// object.
    package func withObject<R>(
        _ key: ByteView, in table: ObjectTable,
        _ body: (ObjectBytes) throws(ObjectError) -> R
    ) throws(ObjectError) -> R? {
        var result: R?
        _ = try visitObject(key, in: table) { object throws(ObjectError) in
            result = try body(object)
        }
        return result
    }

    /// A copy of an object's row; `nil` if there is no such object.
    package func row(_ key: ByteView, in table: ObjectTable) throws(ObjectError) -> [UInt8]? {
        var row: [UInt8]?
        _ = try visitEntry(key, in: table.number) { row = $0.copied() }
        return row
    }

    /// Lends the keys of objects whose index entries consist of this prefix and the object's key.
    package func forEachKey(
        under prefix: [UInt8], in index: IndexTable,
        _ body: (ByteView) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try scan(index.number, .prefix(prefix), .ascending) { entry, _ throws(ObjectError) in
            try body(entry.slice(prefix.count, entry.byteCount - prefix.count))
        }
    }
}

extension TreeReader where Self: ~Copyable {
    /// Lends a value, as `_visitEntry` of ``ObjectReader`` describes.
    package func lend(
        _ key: RawSpan, in tree: Tree, _ body: (RawSpan) throws(ObjectError) -> Void
    ) throws(ObjectError) -> Bool {
        try ObjectError.whileScanning {
            try visitValue(forKey: key, in: tree) { value in try body(value) }
        }
    }

    /// Lends values, as `_visitEntries` of ``ObjectReader`` describes.
    package func lend(
        _ keys: [[UInt8]], in tree: Tree, _ body: (Int, RawSpan?) throws(ObjectError) -> Void
    ) throws(ObjectError) {
        try ObjectError.whileScanning {
            try withValues(forKeys: keys, in: tree) { place, value in try body(place, value) }
        }
    }

    /// Lends entries, as `_scan` of ``ObjectReader`` describes.
    package func lend(
        _ range: KeyRange, of tree: Tree, _ order: ScanOrder,
        _ body: (RawSpan, RawSpan) throws(ObjectError) -> ScanStep
    ) throws(ObjectError) {
        try ObjectError.whileScanning {
            try scan(tree, range, order: order) { key, value in try body(key, value) }
        }
    }
}
