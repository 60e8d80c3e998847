package import BullaCipher
package import BullaMemory

/// What was found where the next frame would be.
package enum FrameFinding {
    /// A frame that authenticates in this place, and follows the frame that must precede it.
    case whole(LogFrame)
    /// The reader needs this many bytes to decide.
    ///
    /// The number is an unverified claim, unless it is ``FrameFormat/byteMinimum``; it never
    /// exceeds what the half has left.
    case cutOff(byteCount: Int)
    /// No valid frame follows here.
    case absent(FrameAbsence)
}

/// Why no frame is valid in a place.
///
/// The cases are for messages only: a reader of the log treats all of them as the end of what is
/// valid. They cannot be more exact, because all of these look alike: random bytes, zeros, a frame
/// of another segment or of an earlier use of the half, and a frame whose head was changed.
package enum FrameAbsence: String, Error, CaseIterable, Sendable {
    /// The segment has begun, but neither copy of its header belongs to this use of the half.
    case header = "the header of the segment is damaged, or from another use of the half"
    /// The half has fewer bytes left than any frame.
    case noRoom = "the half ends"
    /// The head, once unmasked, does not repeat the tag of the preceding frame.
    case notNext = "nothing follows the frame before"
    /// The head repeats that tag, but claims a kind or a length that no frame here can have.
    case head = "the head of a frame is damaged"
    /// The head repeats that tag, but the rest is not what was sealed: it is torn, or was changed.
    case content = "a frame is torn or damaged"
}

/// Reads the frames of one segment.
package struct FrameReader: Sendable {
    private let cipher: FrameCipher
    private let sequence: UInt64

    /// - Parameters:
    ///   - cipher: the segment's cipher.
    ///   - sequence: the number of this use of the half.
    package init(_ cipher: FrameCipher, sequence: UInt64) {
        self.cipher = cipher
        self.sequence = sequence
    }

    /// Looks for the frame that follows another.
    ///
    /// A length is only a claim until the frame has been opened. So the reader first compares it
    /// with what the half has left. The reader never requests more memory than `bytes` takes, and
    /// never looks beyond `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: what the place holds, private to the caller; can extend beyond the frame.
    ///   - offset: where they begin in the half.
    ///   - limit: how many bytes the half has from there; no fewer than `bytes` has.
    ///   - previous: the tag of the preceding frame.
    ///   - room: returns memory of a given length for the content; the memory is zeroed if no frame
    ///     is valid.
    /// - Throws: `corrupted` for a valid frame with content that no correct writer seals, because a
    ///   valid frame is a commit and must not be skipped; `io`, `outOfMemory`; what `room` throws.
    /// - Complexity: one pass over the frame.
    package func find(
        in bytes: ByteView, at offset: UInt64, limit: UInt64, after previous: FrameTag,
        _ room: (Int) throws(BullaError) -> MutableByteView
    ) throws(BullaError) -> FrameFinding {
        precondition(UInt64(bytes.byteCount) <= limit, "the bytes are of the half")
        guard limit >= UInt64(FrameFormat.byteMinimum) else { return .absent(.noRoom) }
        guard bytes.byteCount >= FrameFormat.byteMinimum else {
            return .cutOff(byteCount: FrameFormat.byteMinimum)
        }
        let head = try self.head(bytes)
        guard head.repeated == previous.repeated else { return .absent(.notNext) }
        guard let kind = FrameKind(rawValue: head.kind), head.reserved == 0,
            FrameFormat.isByteCount(head.byteCount), UInt64(head.byteCount) <= limit
        else { return .absent(.head) }
        guard head.byteCount <= bytes.byteCount else {
            return .cutOff(byteCount: head.byteCount)
        }
        let frame = bytes.slice(0, head.byteCount)
        let content = try room(head.byteCount - FrameField.extraByteCount)
        let context = FrameContext(
            sequence: sequence, offset: offset, previous: previous, kind: head.kind)
        guard try open(frame, context, into: content) else { return .absent(.content) }
        return .whole(try parsed(frame, kind, content.view))
    }

    private func head(_ bytes: ByteView) throws(BullaError) -> FrameHead {
        do throws(CipherError) { return try cipher.head(of: bytes) } catch {
            throw BullaError.cipher("read a frame of the log", error)
        }
    }

    private func open(
        _ frame: ByteView, _ context: FrameContext, into content: MutableByteView
    ) throws(BullaError) -> Bool {
        do throws(CipherError) {
            try cipher.open(frame, context: context, into: content)
            return true
        } catch {
            guard error.code != .badTag else { return false }
            throw BullaError.cipher("open a frame of the log", error)
        }
    }

    private func parsed(
        _ frame: ByteView, _ kind: FrameKind, _ content: ByteView
    ) throws(BullaError) -> LogFrame {
        let commit = content.load(UInt64.self, at: FrameFormat.commitOffset)
        let durable = content.load(UInt64.self, at: FrameFormat.durableOffset)
        guard let inner = try? BlobPadding.cleartext(in: content),
            inner.byteCount >= FrameFormat.bodyOffset - BlobPadding.lengthByteCount,
            commit < UInt64.max / 4, durable <= commit
        else {
            throw BullaError(
                .corrupted, "read a frame of the log: it holds what no writer seals")
        }
        let head = FrameFormat.bodyOffset - BlobPadding.lengthByteCount
        return LogFrame(
            kind: kind, commit: commit, durable: durable, tag: FrameCipher.tag(of: frame),
            byteCount: frame.byteCount, body: inner.slice(head, inner.byteCount - head))
    }
}
