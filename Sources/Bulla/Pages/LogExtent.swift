package import BullaCipher
internal import BullaMemory

/// Where the log is in the file, and where it continues after a commit, as a commit record says.
///
/// The log's two halves are used in turn, and each use has the next sequence number.
package struct LogExtent: Hashable, Sendable {
    /// The half whose uses have even sequence numbers.
    package var even: PageRun
    /// The half whose uses have odd sequence numbers.
    package var odd: PageRun
    /// The maximum number of pages to which either half may grow; a half that is already longer
    /// keeps its pages.
    package var pageLimit: UInt64
    /// Where the next frame belongs.
    package var place: LogPlace
    /// The offset, in its half, of the segment that contains `place` or ends there; `nil` if no
    /// segment has begun.
    package var segment: UInt64?
    /// The tag of the last frame before `place`.
    package var tag: FrameTag

    /// A log that has no frame yet.
    package init(even: PageRun, odd: PageRun, pageLimit: UInt64 = 0) {
        (self.even, self.odd) = (even, odd)
        self.pageLimit = max(pageLimit, even.count, odd.count)
        place = LogPlace(sequence: 0, offset: 0)
        tag = .none
    }

    /// The maximum number of pages that each half of a log of `byteCount` bytes may have.
    static func pageLimit(ofBytes byteCount: Int, _ format: PageFormat) -> UInt64 {
        max(UInt64(byteCount / 2 / format.pageByteCount), 1)
    }

    package var halves: [PageRun] { [even, odd] }

    /// The half in which the use with this sequence number lies.
    package subscript(sequence: UInt64) -> PageRun {
        get { sequence.isMultiple(of: 2) ? even : odd }
        set { if sequence.isMultiple(of: 2) { even = newValue } else { odd = newValue } }
    }

    /// Whether the halves lie within these pages, and do not overlap.
    ///
    /// This does not check ``place``; a ``LogFollower`` does.
    func isPlausible(in pages: Range<UInt64>) -> Bool {
        halves.allSatisfy { half in
            half.count > 0 && half.start >= pages.lowerBound && half.start < pages.upperBound
                && half.count <= pages.upperBound - half.start
        } && pageLimit > 0 && pageLimit <= UInt64(UInt32.max)
            && (even.end <= odd.start || odd.end <= even.start)
    }

    /// Reads the log's fields from a commit record that starts at `offset`.
    init(_ bytes: ByteView, at offset: Int) {
        func word(_ field: CommitField) -> UInt64 {
            bytes.load(UInt64.self, at: offset + field.offset)
        }
        even = PageRun(start: word(.evenHalfStart), count: word(.evenHalfCount))
        odd = PageRun(start: word(.oddHalfStart), count: word(.oddHalfCount))
        pageLimit = word(.logPageLimit)
        place = LogPlace(sequence: word(.logSequence), offset: word(.logOffset))
        segment = word(.logSegment) == .max ? nil : word(.logSegment)
        tag = FrameTag(bytes, at: offset + CommitField.logTag.offset)
    }

    func write(_ bytes: MutableByteView, at offset: Int) {
        func put(_ value: UInt64, _ field: CommitField) {
            bytes.store(value, at: offset + field.offset)
        }
        put(place.sequence, .logSequence)
        put(place.offset, .logOffset)
        put(segment ?? .max, .logSegment)
        tag.store(in: bytes, at: offset + CommitField.logTag.offset)
        put(pageLimit, .logPageLimit)
        put(even.start, .evenHalfStart)
        put(even.count, .evenHalfCount)
        put(odd.start, .oddHalfStart)
        put(odd.count, .oddHalfCount)
    }
}
