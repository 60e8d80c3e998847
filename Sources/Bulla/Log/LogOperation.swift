package import BullaMemory

/// One change that a commit makes.
///
///     code  then                                                                 operation
///        1  tree, key count, value count (numbers), key, value                   put
///        2  tree, key count (numbers), key                                       delete
///        3  tree, name count (numbers), name                                     createTree
///        4  tree, name count (numbers), name                                     dropTree
///        5  tree, name count, count of the new name (numbers), name, new name    renameTree
///
/// A code takes one byte; integers are written as ``Varint``. *tree* is the tree's number, which no
/// other tree ever gets. Operations on trees also carry the name, by which the catalog finds the
/// tree, so applying one needs no search of the catalog for the number.
///
/// Changes that are too large for the log, such as very large values and deletions of long ranges,
/// are committed with a root frame, which names new trees.
package enum LogOperation: Hashable {
    case put(tree: UInt64, key: ByteView, value: ByteView)
    /// The key need not exist.
    case delete(tree: UInt64, key: ByteView)
    case createTree(UInt64, name: ByteView)
    case dropTree(UInt64, name: ByteView)
    case renameTree(UInt64, name: ByteView, newName: ByteView)

    enum Code: UInt8 {
        case put = 1
        case delete, createTree, dropTree, renameTree
    }

    /// The code, the tree, and one or two runs of bytes, each a key, a value or a name; the second
    /// is empty unless ``hasTwoRuns``.
    private var parts: (code: Code, tree: UInt64, first: ByteView, second: ByteView) {
        switch self {
        case .put(let tree, let key, let value): (.put, tree, key, value)
        case .delete(let tree, let key): (.delete, tree, key, emptyView)
        case .createTree(let tree, let name): (.createTree, tree, name, emptyView)
        case .dropTree(let tree, let name): (.dropTree, tree, name, emptyView)
        case .renameTree(let tree, let name, let newName): (.renameTree, tree, name, newName)
        }
    }

    /// The maximum number of bytes that an operation takes in a frame besides its runs: a code and
    /// three numbers.
    static let headByteLimit = 1 + 3 * Varint.byteLimit

    /// How many bytes the operation takes in a frame.
    package var byteCount: Int {
        let (code, tree, first, second) = parts
        var count = 1 + Varint.byteCount(tree) + Varint.byteCount(UInt64(first.byteCount))
        if code.hasTwoRuns { count += Varint.byteCount(UInt64(second.byteCount)) }
        return count + first.byteCount + second.byteCount
    }

    /// Writes the operation to the beginning of `bytes`, which has room for ``byteCount``.
    package func write(_ bytes: MutableByteView) {
        let (code, tree, first, second) = parts
        invariant(bytes.byteCount >= byteCount, "an operation has room")
        bytes.store(code.rawValue, at: 0)
        var offset = 1
        Varint.store(tree, in: bytes, at: &offset)
        Varint.store(UInt64(first.byteCount), in: bytes, at: &offset)
        if code.hasTwoRuns { Varint.store(UInt64(second.byteCount), in: bytes, at: &offset) }
        bytes.copy(first, to: offset)
        bytes.copy(second, to: offset + first.byteCount)
        invariant(
            offset + first.byteCount + second.byteCount == byteCount,
            "an operation takes as many bytes as it says")
    }
}

extension LogOperation.Code {
    /// Whether a second run of bytes follows the first.
    var hasTwoRuns: Bool { self == .put || self == .renameTree }

    /// Whether the runs are names of trees.
    var isOfTree: Bool { self != .put && self != .delete }
}
