package import BullaCipher
internal import BullaMemory

/// A place between two commits, with the tag of the preceding frame; the next frame names this tag.
///
/// A meta slot names the position where replay begins; the durable record and the marks name the
/// one up to which the log is durable. A follower stands at a position.
package struct LogPosition: Hashable, Sendable {
    /// Where the next frame belongs.
    package var place: LogPlace
    /// The offset of the segment that contains this position or ends at it, or `nil`.
    ///
    /// It counts from the beginning of that half of the log in which ``place`` lies. It is `nil` if
    /// no segment has begun.
    package var segment: UInt64?
    /// The tag of the last frame before this position.
    package var tag: FrameTag
    /// The last commit before this position.
    package var commit: UInt64

    package init(place: LogPlace, segment: UInt64?, tag: FrameTag, commit: UInt64) {
        self.place = place
        self.segment = segment
        self.tag = tag
        self.commit = commit
    }

    /// The position at the beginning of a log without frames.
    package static func beginning(after commit: UInt64) -> LogPosition {
        LogPosition(
            place: LogPlace(sequence: 0, offset: 0), segment: nil, tag: .none, commit: commit)
    }

    /// Where the next segment of the same half begins: at the first block boundary from here on.
    var nextSegment: UInt64 {
        let block = SegmentHeader.blockByteCount
        return (place.offset + block - 1) / block * block
    }

    /// Whether both positions follow the same commit.
    ///
    /// Their places can still differ: where the next use of a half begins, one position has two
    /// names, the end of the former use and the beginning of the next.
    func ends(as other: LogPosition) -> Bool { commit == other.commit && tag == other.tag }

    /// Whether a half of `halfByteCount` bytes can have this position, which need not be trusted.
    func isPlausible(halfByteCount: UInt64) -> Bool {
        guard place.sequence < UInt64.max / 4, commit < UInt64.max / 4,
            place.offset <= halfByteCount
        else { return false }
        guard let segment else { return place == LogPlace(sequence: 0, offset: 0) }
        return segment % SegmentHeader.blockByteCount == 0
            && segment < halfByteCount
            && place.offset - min(segment, place.offset) >= SegmentHeader.frameOffset
    }
}

/// The form that a position has in marks and in the durable record:
///
///     offset  bytes  field
///          0      8  commit
///          8      8  sequence
///         16      8  offset
///         24      8  segment   all ones where none has begun
///         32     16  tag
extension LogPosition {
    static let byteCount = 32 + FrameTag.byteCount

    init(_ bytes: ByteView, at offset: Int) {
        func word(_ index: Int) -> UInt64 { bytes.load(UInt64.self, at: offset + 8 * index) }
        self.init(
            place: LogPlace(sequence: word(1), offset: word(2)),
            segment: word(3) == .max ? nil : word(3), tag: FrameTag(bytes, at: offset + 32),
            commit: word(0))
    }

    func write(_ bytes: MutableByteView, at offset: Int) {
        invariant(segment.map { $0 < .max } ?? true, "all ones say that no segment has begun")
        bytes.store(commit, at: offset)
        bytes.store(place.sequence, at: offset + 8)
        bytes.store(place.offset, at: offset + 16)
        bytes.store(segment ?? .max, at: offset + 24)
        tag.store(in: bytes, at: offset + 32)
    }
}

extension LogPosition {
    /// The position at which the log continues after a record's commit.
    package init(_ record: CommitRecord) {
        let log = record.log
        self.init(place: log.place, segment: log.segment, tag: log.tag, commit: record.commit)
    }
}

extension LogExtent {
    /// The same halves, with another position at which the log continues.
    package func moved(to position: LogPosition) -> LogExtent {
        var log = self
        (log.place, log.segment, log.tag) = (position.place, position.segment, position.tag)
        return log
    }
}
