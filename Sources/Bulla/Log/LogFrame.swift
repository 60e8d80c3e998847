package import BullaCipher
package import BullaMemory

/// What a frame holds.
package enum FrameKind: UInt8, CaseIterable, Sendable {
    /// A whole commit: operations.
    case ordinary = 1
    /// A part of a commit's operations; the last part completes the commit.
    case part = 2
    case lastPart = 3
    /// A whole commit: the record of new trees, which are in the file already.
    case root = 4
}

/// The sizes of frames, and of the content that they encrypt.
///
/// The content of a frame is padded like a sealed blob (``BlobPadding``), so that the frame reveals
/// the content's length only in steps. The fields of the content are:
///
///     offset  bytes  field
///          0      4  n + 16
///          4      8  commit
///         12      8  durable     newest commit known to be flushed when this was written
///         20      n  body        operations, or a commit record
///     20 + n         zeros, to the padded count
package enum FrameFormat {
    static let commitOffset = BlobPadding.lengthByteCount
    static let durableOffset = commitOffset + 8
    package static let bodyOffset = durableOffset + 8
    /// The length of the longest body; even with the most padding, its frame is within the cipher's
    /// limit.
    package static let bodyByteLimit = FrameCipher.frameByteLimit / 8 * 7
    /// The length of the shortest frame, which has no body.
    package static let byteMinimum = byteCount(bodyByteCount: 0)

    /// How many bytes the frame of a body has.
    package static func byteCount(bodyByteCount: Int) -> Int {
        contentByteCount(bodyByteCount: bodyByteCount) + FrameField.extraByteCount
    }

    static func contentByteCount(bodyByteCount: Int) -> Int {
        BlobPadding.paddedByteCount(bodyOffset + bodyByteCount)
    }

    /// Whether a frame can have `count` bytes.
    static func isByteCount(_ count: Int) -> Bool {
        let content = count - FrameField.extraByteCount
        return count >= byteMinimum && count <= FrameCipher.frameByteLimit
            && BlobPadding.paddedByteCount(content) == content
    }
}

/// A frame that was verified in its place.
package struct LogFrame {
    package let kind: FrameKind
    package let commit: UInt64
    /// The newest commit known to be flushed when the frame was written.
    package let durable: UInt64
    /// The tag that the next frame names.
    package let tag: FrameTag
    /// The distance from the frame's beginning to where the next one can begin.
    package let byteCount: Int
    /// The body, in the memory that the frame was opened into.
    package let body: ByteView

    /// The operations, one after another; a root frame has none.
    ///
    /// - Parameter format: the store's format, which limits the length of keys.
    package func operations(_ format: PageFormat) -> LogOperations {
        LogOperations(
            kind == .root ? body.slice(0, 0) : body, keyByteLimit: format.keyByteLimit,
            commit: commit)
    }

    /// The record that a root frame carries.
    ///
    /// - Throws: `corrupted` for a frame of any other kind, and for a record that cannot be this
    ///   commit's.
    package func root(_ format: PageFormat) throws(BullaError) -> CommitRecord {
        guard kind == .root, body.byteCount == CommitField.byteCount else {
            throw malformed("it has no root record")
        }
        let record = CommitRecord(body)
        guard record.commit == commit, record.isPlausible(format) else {
            throw malformed("its record cannot be this commit's")
        }
        return record
    }

    private func malformed(_ found: String) -> BullaError {
        BullaError(.corrupted, "read the log's frame of commit \(commit): \(found)", commit: commit)
    }
}
