package import BullaMemory
internal import Synchronization

/// Seals and opens the frames of one segment of the log.
///
/// Any number of threads may call at once.
///
/// The layout is in the table of ``FrameField``; a frame is bound to its ``FrameContext``. The call
/// that seals a frame draws a random nonce of 96 bits for it from the kernel (NIST SP 800-38D,
/// section 8.2.2). One key can seal 2^32 frames (section 8.3). Each process that appends to a
/// segment has a cipher of its own, which does not count what the others seal. So a cipher stops
/// earlier, at ``sealLimit``.
///
/// The keys are kept in ``SecretBytes``, and in expanded form in contexts of libcrypto, as in a
/// ``PageCipher``.
package final class FrameCipher: Sendable {
    /// A sixteenth of what one key can seal.
    ///
    /// This many of the shortest frames take about 16 GiB, and a half of the log has at most 2 GiB.
    /// So a key reaches the limit only if writes fail and the writer seals their frames again.
    package static let sealLimit: UInt64 = 1 << 28
    /// The length of the shortest content, because the mask of the frame's head is made from 16
    /// bytes of ciphertext.
    package static let contentByteMinimum = 16
    /// The length of the longest frame, because libcrypto counts bytes in 31 bits.
    package static let frameByteLimit = 1 << 30

    package let suite: Suite
    private let pool: ContextPool<FrameRecipe>
    private let sealedCount = Atomic<UInt64>(0)
    private let limit: UInt64

    /// A cipher under a segment's keys; it keeps a copy of them.
    ///
    /// - Parameters:
    ///   - suite: how frames are sealed; not ``Suite/plain``.
    ///   - key: what ``MasterSecret/segmentKey(suite:history:segment:)`` gives.
    ///   - fileIdentifier: the identifier of the file that holds the log.
    ///   - formatVersion: that file's format version.
    ///   - sealLimit: the largest number of frames to seal; only a test lowers this, to reach the
    ///     limit.
    /// - Throws: ``CipherError/Code/badArgument`` for a key of another length, or a suite without
    ///   keys.
    package convenience init(
        suite: Suite, key: borrowing SecretBytes, fileIdentifier: FileIdentifier,
        formatVersion: UInt16, sealLimit: UInt64 = FrameCipher.sealLimit
    ) throws(CipherError) {
        guard suite != .plain, key.byteCount == MasterSecret.segmentKeyByteCount else {
            throw CipherError(.badArgument)
        }
        try self.init(
            FrameRecipe(
                suite: suite, key: try key.copied(), seed: 0, fileIdentifier: fileIdentifier,
                formatVersion: formatVersion),
            limit: sealLimit)
    }

    /// A cipher for a plain file: checksums instead of tags, no key.
    ///
    /// - Parameter segment: the segment's random bytes, which seed its checksums.
    package convenience init(
        plain segment: ByteView, fileIdentifier: FileIdentifier, formatVersion: UInt16
    ) throws(CipherError) {
        try self.init(
            FrameRecipe(
                suite: .plain, key: nil, seed: Checksum.xxh64(segment),
                fileIdentifier: fileIdentifier, formatVersion: formatVersion),
            limit: .max)
    }

    private init(_ recipe: consuming FrameRecipe, limit: UInt64) throws(CipherError) {
        suite = recipe.suite
        self.limit = limit
        pool = try ContextPool(recipe)
    }

    /// Whether the key has sealed as many frames as it may, so that the next frame has to begin a
    /// new segment.
    ///
    /// The writer asks before it writes the frames of a commit: the last of them completes the
    /// commit, so whatever can fail must fail before that frame is written.
    package var isExhausted: Bool { sealedCount.load(ordering: .relaxed) >= limit }

    /// Seals one frame.
    ///
    /// - Parameters:
    ///   - content: ``contentByteMinimum`` bytes or more; either exactly where the ciphertext goes,
    ///     or not overlapping `frame` at all.
    ///   - frame: the content's length plus ``FrameField/extraByteCount`` bytes, private to the
    ///     caller; wiped if the call throws.
    ///   - context: what the frame is bound to.
    /// - Returns: the frame's tag, which the next frame names.
    /// - Throws: ``CipherError/Code/exhausted`` if ``isExhausted`` was true;
    ///   ``CipherError/Code/random``; ``CipherError/Code/memory`` once the cipher has ended.
    /// - Complexity: one pass over the bytes and one system call; no allocation.
    package func seal(
        _ content: ByteView, context: FrameContext, into frame: MutableByteView
    ) throws(CipherError) -> FrameTag {
        precondition(
            frame.byteCount == content.byteCount + FrameField.extraByteCount, "the frame fits")
        do throws(CipherError) {
            let count = sealedCount.wrappingAdd(1, ordering: .relaxed).newValue
            guard count <= limit else { throw CipherError(.exhausted) }
            try pool.withContext { cipher throws(CipherError) in
                try cipher.seal(content, context: context, into: frame)
            }
        } catch {
            // The frame may still hold the content.
            frame.wipe()
            throw error
        }
        return Self.tag(of: frame.view)
    }

    /// What a frame says of itself, unverified.
    ///
    /// - Parameter frame: at least as many bytes as the shortest frame has.
    package func head(of frame: ByteView) throws(CipherError) -> FrameHead {
        precondition(
            frame.byteCount >= Self.contentByteMinimum + FrameField.extraByteCount,
            "the sample is there")
        return try pool.withContext { cipher throws(CipherError) in try cipher.head(of: frame) }
    }

    /// Opens one frame.
    ///
    /// Decides in one call whether the frame is whole, belongs to this segment and place, and
    /// follows the right frame.
    ///
    /// - Parameters:
    ///   - frame: private to the caller, because shared memory can change while it is read.
    ///   - context: describes where the frame was found, which must be where it was written.
    ///   - content: as many bytes as the frame, less ``FrameField/extraByteCount``; zeroed if the
    ///     call throws.
    /// - Throws: ``CipherError/Code/badTag`` if any bit of the frame or its context differs;
    ///   ``CipherError/Code/badArgument`` for a length that no frame has.
    /// - Complexity: one pass over the frame; no allocation.
    package func open(
        _ frame: ByteView, context: FrameContext, into content: MutableByteView
    ) throws(CipherError) {
        precondition(
            content.byteCount == frame.byteCount - FrameField.extraByteCount, "the content fits")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.open(frame, context: context, into: content)
        }
    }

    /// The tag at the end of a frame.
    package static func tag(of frame: ByteView) -> FrameTag {
        FrameTag(frame, at: frame.byteCount - FrameTag.byteCount)
    }

    /// Wipes the keys and every context, even if others still hold the cipher.
    ///
    /// Call it when nobody is sealing or opening. Later calls throw ``CipherError/Code/memory``,
    /// except for a plain cipher, which has no key.
    package func end() { pool.end() }
}
