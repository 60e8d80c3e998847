internal import BullaMemory

/// What one commit has changed: its operations, in the order in which they were made.
///
/// It says what stands after the commit, not how its transaction came there: of a key that was put
/// twice there may be two operations or one, and of what a savepoint has undone there is none. A
/// range that was deleted appears as its keys.
///
/// The bytes lie in memory that no core dump holds and that a forked child finds empty. They are
/// the caller's: they stay when the store is closed, and go with the last reference to them.
public struct CommittedChanges: Sequence, Sendable {
    /// The number of the commit.
    public let commit: UInt64
    private let content: CommitContent
    private let format: PageFormat

    init(commit: UInt64, _ content: CommitContent, _ format: PageFormat) {
        (self.commit, self.content, self.format) = (commit, content, format)
    }

    /// Goes through the operations.
    public func makeIterator() -> Iterator { Iterator(content, format) }

    /// The operations of a commit, one after the other.
    public struct Iterator: IteratorProtocol {
        private let content: CommitContent
        private let format: PageFormat
        private var part = 0
        private var operations: LogOperations?

        fileprivate init(_ content: CommitContent, _ format: PageFormat) {
            (self.content, self.format) = (content, format)
            operations = content.operations(part: 0, format)
        }

        /// The next operation; `nil` behind the last.
        ///
        /// - Complexity: constant; copies no bytes.
        public mutating func next() -> CommittedOperation? {
            while operations != nil {
                // The follower has verified all of this. It throws only in a forked child, which
                // finds the memory empty and so sees no operations.
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

/// One change that a commit has made.
///
/// A tree is told by its number, ``Tree/number``, which it keeps when it is renamed.
public enum CommittedOperation: Sendable {
    /// A key got a value, whether it had one before or not.
    case put(tree: Int, key: CommittedBytes, value: CommittedBytes)
    /// A key was deleted; it need not have been there.
    case delete(tree: Int, key: CommittedBytes)
    /// A tree was made, empty.
    case createTree(Int, name: CommittedBytes)
    /// A tree was dropped, with all its entries.
    case dropTree(Int, name: CommittedBytes)
    /// A tree got another name.
    case renameTree(Int, name: CommittedBytes, newName: CommittedBytes)

    fileprivate init(_ operation: LogOperation, _ content: CommitContent) {
        func number(_ tree: UInt64) -> Int { Int(clamping: tree) }
        func bytes(_ view: ByteView) -> CommittedBytes { CommittedBytes(view, content) }
        self =
            switch operation {
            case .put(let tree, let key, let value):
                .put(tree: number(tree), key: bytes(key), value: bytes(value))
            case .delete(let tree, let key): .delete(tree: number(tree), key: bytes(key))
            case .createTree(let tree, let name): .createTree(number(tree), name: bytes(name))
            case .dropTree(let tree, let name): .dropTree(number(tree), name: bytes(name))
            case .renameTree(let tree, let name, let newName):
                .renameTree(number(tree), name: bytes(name), newName: bytes(newName))
            }
    }

    /// The number of the tree that it changes.
    public var tree: Int {
        switch self {
        case .put(let tree, _, _), .delete(let tree, _), .createTree(let tree, _),
            .dropTree(let tree, _), .renameTree(let tree, _, _):
            tree
        }
    }
}

/// A key, a value or a name in the memory of the commit that told it.
///
/// It can be given to whatever takes a key or a value, and is not copied for that.
public struct CommittedBytes: ByteSource, @unchecked Sendable {
    // `@unchecked`: nobody changes the bytes while somebody refers to their owner.

    private let view: ByteView
    private let owner: CommitContent

    fileprivate init(_ view: ByteView, _ owner: CommitContent) {
        (self.view, self.owner) = (view, owner)
    }

    /// How many bytes there are.
    public var count: Int { view.byteCount }

    /// Lends the bytes in place.
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(owner) {} }
        return try view.withSpan(body)
    }
}
