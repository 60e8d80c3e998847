package import BullaCipher
package import BullaMemory

/// The content of a frame that is being built: operations one after another, or the record of new
/// trees, in memory that core dumps leave out and a forked child finds empty.
///
/// A builder serves one frame after another, and keeps its memory.
package struct FrameBuilder: ~Copyable {
    private var buffer: ScratchBuffer
    private var end = FrameFormat.bodyOffset

    package init() throws(BullaError) {
        buffer = try Buffer.make(Self.firstByteCount)
    }

    /// Enough for the operations of a small commit.
    private static let firstByteCount = 16 << 10

    package var bodyByteCount: Int { end - FrameFormat.bodyOffset }
    /// How many bytes the frame will have.
    package var frameByteCount: Int { FrameFormat.byteCount(bodyByteCount: bodyByteCount) }

    /// The operations that were appended; valid until the next append.
    package func operations(_ format: PageFormat, commit: UInt64) -> LogOperations {
        LogOperations(
            buffer.bytes.view.slice(FrameFormat.bodyOffset, bodyByteCount),
            keyByteLimit: format.keyByteLimit, commit: commit)
    }

    /// Whether an operation fits into this frame; otherwise it begins the commit's next frame.
    package func hasRoom(for operation: LogOperation) -> Bool {
        operation.byteCount <= FrameFormat.bodyByteLimit - bodyByteCount
    }

    /// Appends an operation.
    ///
    /// - Throws: `outOfMemory`; then nothing has changed.
    package mutating func append(_ operation: LogOperation) throws(BullaError) {
        precondition(hasRoom(for: operation), "a longer transaction is several parts")
        let count = operation.byteCount
        try makeRoom(for: count)
        operation.write(buffer.bytes.slice(end, count))
        end += count
        invariant(bodyByteCount <= FrameFormat.bodyByteLimit, "a body fits a frame")
    }

    /// Appends the record that a root frame carries.
    package mutating func append(_ record: CommitRecord) throws(BullaError) {
        precondition(bodyByteCount == 0, "a root frame carries its record alone")
        try makeRoom(for: CommitField.byteCount)
        record.write(buffer.bytes.slice(end, CommitField.byteCount))
        end += CommitField.byteCount
    }

    /// Wipes what was appended beyond `count` bytes.
    mutating func cut(toBodyByteCount count: Int) {
        precondition(count <= bodyByteCount, "a draft is cut, and not made longer")
        buffer.bytes.slice(FrameFormat.bodyOffset + count, bodyByteCount - count)
            .fill(0, bodyByteCount - count)
        end = FrameFormat.bodyOffset + count
    }

    /// Wipes what has been appended, to make way for the next frame.
    package mutating func removeAll() {
        // Wipe all of the content, padding included.
        let content = FrameFormat.contentByteCount(bodyByteCount: bodyByteCount)
        buffer.bytes.fill(0, content)
        end = FrameFormat.bodyOffset
    }

    /// Seals the appended operations into `frame`.
    ///
    /// The builder keeps the operations.
    ///
    /// - Parameters:
    ///   - commit: the number of the frame's commit, which can have other frames too.
    ///   - durable: the newest commit known to be flushed.
    ///   - place: where the frame will be written.
    ///   - previous: the tag of the preceding frame.
    ///   - frame: ``frameByteCount`` bytes, private to the caller.
    /// - Returns: the frame's tag.
    /// - Throws: `io`; `outOfMemory`.
    package mutating func seal(
        as kind: FrameKind, commit: UInt64, durable: UInt64, at place: LogPlace,
        after previous: FrameTag, with cipher: FrameCipher, into frame: MutableByteView
    ) throws(BullaError) -> FrameTag {
        precondition(durable <= commit, "what is durable was committed")
        invariant(frame.byteCount == frameByteCount, "a frame gets as many bytes as it has")
        invariant(FrameFormat.isByteCount(frame.byteCount), "a frame is as long as frames can be")
        let content = buffer.bytes.slice(
            0, FrameFormat.contentByteCount(bodyByteCount: bodyByteCount))
        content.store(UInt32(end - BlobPadding.lengthByteCount), at: 0)
        content.store(commit, at: FrameFormat.commitOffset)
        content.store(durable, at: FrameFormat.durableOffset)
        content.fill(end, content.byteCount - end)
        do throws(CipherError) {
            return try cipher.seal(
                content.view,
                context: FrameContext(
                    sequence: place.sequence, offset: place.offset, previous: previous,
                    kind: kind.rawValue),
                into: frame)
        } catch { throw BullaError.cipher("seal a frame of the log", error) }
    }

    /// Makes room for `count` more bytes, and for the padding after them.
    private mutating func makeRoom(for count: Int) throws(BullaError) {
        let needed = FrameFormat.contentByteCount(bodyByteCount: bodyByteCount + count)
        guard needed > buffer.bytes.byteCount else { return }
        let larger = try Buffer.make(max(needed, 2 * buffer.bytes.byteCount))
        larger.bytes.copy(buffer.bytes.view.slice(0, end), to: 0)
        buffer = larger
        invariant(end + count <= buffer.bytes.byteCount, "there is room for what was asked for")
    }
}
