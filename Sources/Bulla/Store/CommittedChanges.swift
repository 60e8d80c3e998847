internal import BullaMemory

/// The changes of one commit: its operations, in the order in which they were made.
///
/// The operations lead to the state after the commit, but need not include every step of its
/// transaction. A key that was put twice can appear once or twice. Changes that a savepoint undid
/// do not appear. A deleted range appears as its keys, one by one.
///
/// The bytes lie in memory that core dumps leave out and that a forked child finds empty. They
/// belong to the caller: they stay valid after the store is closed, and are freed with the last
/// reference to them.
public struct CommittedChanges: Sequence, Sendable {
    /// The number of the commit.
    public let commit: UInt64
    private let content: CommitContent
    private let format: PageFormat

    init(commit: UInt64, _ content: CommitContent, _ format: PageFormat) {
        (self.commit, self.content, self.format) = (commit, content, format)
    }

    /// An iterator over the operations.
    public func makeIterator() -> Iterator { Iterator(content, format) }

    /// Iterates over the operations of a commit.
    public struct Iterator: IteratorProtocol {
        private let content: CommitContent
        private let format: PageFormat
        private var part = 0
        private var operations: LogOperations?

        fileprivate init(_ content: CommitContent, _ format: PageFormat) {
            (self.content, self.format) = (content, format)
            operations = content.operations(part: 0, format)
        }

        /// The next operation; `nil` after the last.
        ///
        /// - Complexity: constant; copies no bytes.
        public mutating func next() -> CommittedOperation? {
            while operations != nil {
                // The content was verified when it was read. So `operations.next()` throws only in
                // a forked child, which finds the memory empty and sees no operations.
                if let found = try? operations?.next() {
                    return CommittedOperation(found, content)
                }
                part += 1
                operations = content.operations(part: part, format)
            }
            return nil
        }
    }
}

/// One change that a commit made.
///
/// An operation names its tree by ``Tree/number``, which stays the same when the tree is renamed.
public enum CommittedOperation: Sendable {
    /// A key got a value, whether or not it had one before.
    case put(treeNumber: Int, key: CommittedBytes, value: CommittedBytes)
    /// A key was deleted, whether or not it had a value before.
    case delete(treeNumber: Int, key: CommittedBytes)
    /// An empty tree was created.
    case createTree(Int, name: CommittedBytes)
    /// A tree was dropped with all its entries.
    case dropTree(Int, name: CommittedBytes)
    /// A tree was renamed.
    case renameTree(Int, name: CommittedBytes, newName: CommittedBytes)

    fileprivate init(_ operation: LogOperation, _ content: CommitContent) {
        func number(_ tree: UInt64) -> Int { Int(clamping: tree) }
        func bytes(_ view: ByteView) -> CommittedBytes { CommittedBytes(view, content) }
        self =
            switch operation {
            case .put(let tree, let key, let value):
                .put(treeNumber: number(tree), key: bytes(key), value: bytes(value))
            case .delete(let tree, let key): .delete(treeNumber: number(tree), key: bytes(key))
            case .createTree(let tree, let name): .createTree(number(tree), name: bytes(name))
            case .dropTree(let tree, let name): .dropTree(number(tree), name: bytes(name))
            case .renameTree(let tree, let name, let newName):
                .renameTree(number(tree), name: bytes(name), newName: bytes(newName))
            }
    }

    /// The number of the tree that the operation changes.
    public var treeNumber: Int {
        switch self {
        case .put(let number, _, _), .delete(let number, _), .createTree(let number, _),
            .dropTree(let number, _), .renameTree(let number, _, _):
            number
        }
    }
}

/// A key, a value or a name in the memory of its commit.
///
/// Pass it wherever a key or a value is expected: no bytes are copied. It keeps its commit's memory
/// alive.
public struct CommittedBytes: ByteSource, @unchecked Sendable {
    // `@unchecked`: the bytes do not change while a reference to their owner exists.

    private let view: ByteView
    private let owner: CommitContent

    fileprivate init(_ view: ByteView, _ owner: CommitContent) {
        (self.view, self.owner) = (view, owner)
    }

    /// The number of bytes.
    public var count: Int { view.byteCount }

    /// Lends the bytes in place, without copying them.
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(owner) {} }
        return try view.withSpan(body)
    }
}
