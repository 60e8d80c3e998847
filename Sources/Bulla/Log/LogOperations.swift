package import BullaMemory

/// The operations of a frame, one after another; valid while the frame's memory is.
///
/// The bytes are not trusted, even though they were authenticated: a writer's mistake must give its
/// readers an error, and never a trap.
package struct LogOperations {
    private let bytes: ByteView
    private let keyByteLimit: Int
    private let commit: UInt64
    private var offset = 0

    /// - Parameters:
    ///   - bytes: the operations, as a writer has encoded them.
    ///   - keyByteLimit: how many bytes the store's keys can have.
    ///   - commit: for messages.
    package init(_ bytes: ByteView, keyByteLimit: Int, commit: UInt64) {
        self.bytes = bytes
        self.keyByteLimit = keyByteLimit
        self.commit = commit
    }

    /// The numbers of the trees that operations can name; 0 is the catalog, which they do not name.
    private static let treeNumbers: ClosedRange<UInt64> = 1...UInt64.max / 4

    /// The next operation; `nil` after the last.
    ///
    /// - Throws: `corrupted` for bytes that no correct writer writes. Calling again throws again.
    package mutating func next() throws(BullaError) -> LogOperation? {
        guard offset < bytes.byteCount else { return nil }
        let start = offset
        guard let operation = parse() else {
            offset = start
            throw BullaError(
                .corrupted,
                "read the log's commit \(commit): byte \(start) of \(bytes.byteCount) begins no "
                    + "operation", commit: commit)
        }
        invariant(
            start < offset && offset <= bytes.byteCount, "operations are read forwards, to the end")
        return operation
    }

    private mutating func parse() -> LogOperation? {
        guard let code = LogOperation.Code(rawValue: bytes.load(UInt8.self, at: offset)) else {
            return nil
        }
        offset += 1
        let limits =
            code.isOfTree ? 1...PageFormat.treeNameByteLimit : 1...max(keyByteLimit, 1)
        guard let tree = Varint.load(bytes, at: &offset), Self.treeNumbers ~= tree,
            let firstCount = count(), limits ~= firstCount,
            let secondCount = code.hasTwoRuns ? count() : 0,
            code != .renameTree || limits ~= secondCount,
            let first = take(firstCount), let second = take(secondCount)
        else { return nil }
        switch code {
        case .put: return .put(tree: tree, key: first, value: second)
        case .delete: return .delete(tree: tree, key: first)
        case .createTree: return .createTree(tree, name: first)
        case .dropTree: return .dropTree(tree, name: first)
        case .renameTree: return .renameTree(tree, name: first, newName: second)
        }
    }

    private mutating func count() -> Int? {
        Varint.load(bytes, at: &offset).flatMap { Int(exactly: $0) }
    }

    /// The next `count` bytes; `nil` if there are fewer.
    private mutating func take(_ count: Int) -> ByteView? {
        guard bytes.contains(offset, count) else { return nil }
        defer { offset += count }
        return bytes.slice(offset, count)
    }
}
