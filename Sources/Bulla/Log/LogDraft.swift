internal import BullaMemory

/// What a commit will write to the log: operations, in several parts if there are many, or the
/// record of new trees.
///
/// A draft serves one commit after another. It keeps the memory of its first part, even if a long
/// operation has made that part long.
package struct LogDraft: ~Copyable {
    /// Holds a builder for an array, which cannot hold a noncopyable builder itself.
    final class Part {
        var builder: FrameBuilder

        init() throws(BullaError) { builder = try FrameBuilder() }
    }

    private(set) var parts: [Part]
    /// Whether the draft is a root frame, which names new trees.
    package private(set) var isRoot = false

    /// The length at which a part is full; a part is longer only if it is a single operation.
    private let partByteLimit: Int

    package static let usualPartByteLimit = 1 << 20

    package init(partByteLimit: Int = LogDraft.usualPartByteLimit) throws(BullaError) {
        self.partByteLimit = partByteLimit
        parts = [try Part()]
    }

    package var partCount: Int { parts.count }

    /// How many bytes one operation's key and value, or names, can have together.
    static let operationByteLimit = FrameFormat.bodyByteLimit - LogOperation.headByteLimit

    /// Whether nothing was appended.
    package var isEmpty: Bool { parts.allSatisfy { $0.builder.bodyByteCount == 0 } }

    /// How many bytes its frames take.
    package var frameByteCount: UInt64 {
        parts.reduce(0) { $0 + UInt64($1.builder.frameByteCount) }
    }

    /// Appends an operation.
    ///
    /// - Throws: `outOfMemory`; then nothing has changed.
    package mutating func append(_ operation: LogOperation) throws(BullaError) {
        precondition(!isRoot, "a root frame carries its record alone")
        let last = parts[parts.count - 1]
        let isFull = last.builder.bodyByteCount + operation.byteCount > partByteLimit
        guard isFull, last.builder.bodyByteCount > 0 else {
            return try last.builder.append(operation)
        }
        let next = try Part()
        try next.builder.append(operation)
        parts.append(next)
    }

    /// Appends the record that a root frame carries.
    package mutating func append(_ record: CommitRecord) throws(BullaError) {
        precondition(isEmpty, "a root frame carries its record alone")
        invariant(parts.count == 1, "a root frame is a commit of one part")
        try parts[0].builder.append(record)
        isRoot = true
    }

    /// A state of the draft, to go back to.
    struct Mark {
        fileprivate let partCount: Int
        fileprivate let bodyByteCount: Int
    }

    /// Where the draft ends now.
    var mark: Mark {
        Mark(
            partCount: parts.count,
            bodyByteCount: parts[parts.count - 1].builder.bodyByteCount)
    }

    /// Wipes what was appended since a mark of this draft.
    mutating func cut(to mark: Mark) {
        precondition(mark.partCount <= parts.count, "a draft is cut, and not made longer")
        for part in parts[mark.partCount...] { part.builder.removeAll() }
        parts.removeLast(parts.count - mark.partCount)
        parts[parts.count - 1].builder.cut(toBodyByteCount: mark.bodyByteCount)
    }

    /// Wipes what was appended, to make way for the next commit.
    package mutating func removeAll() {
        for part in parts { part.builder.removeAll() }
        parts.removeLast(parts.count - 1)
        isRoot = false
        invariant(isEmpty && parts.count == 1, "nothing is left of a draft that was wiped")
    }

    /// The kind of a part's frame.
    func kind(of part: Int) -> FrameKind {
        invariant(parts.indices.contains(part), "a frame is one of the draft's parts")
        guard !isRoot else { return .root }
        guard parts.count > 1 else { return .ordinary }
        return part == parts.count - 1 ? .lastPart : .part
    }
}
