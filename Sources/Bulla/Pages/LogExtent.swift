package import BullaCipher
internal import BullaMemory

/// Where the log of a store lies, and where it goes on after a commit, as a meta says.
package struct LogExtent: Hashable, Sendable {
    /// The half that even uses lie in.
    package var even: PageRun
    /// The half that odd uses lie in.
    package var odd: PageRun
    /// How many pages either half may grow to; one that has more keeps them.
    package var pageLimit: UInt64
    /// Where the next frame belongs.
    package var place: LogPlace
    /// Where in that half the segment begins that reaches to there; `nil` where none has begun.
    package var segment: UInt64?
    /// Of the last frame.
    package var tag: FrameTag

    /// A log that has no frame yet.
    package init(even: PageRun, odd: PageRun, pageLimit: UInt64 = 0) {
        (self.even, self.odd) = (even, odd)
        self.pageLimit = max(pageLimit, even.count, odd.count)
        place = LogPlace(sequence: 0, offset: 0)
        tag = .none
    }

    /// How many pages each half may have of a log that may have so many bytes.
    static func pageLimit(ofBytes byteCount: Int, _ format: PageFormat) -> UInt64 {
        max(UInt64(byteCount / 2 / format.pageByteCount), 1)
    }

    package var halves: [PageRun] { [even, odd] }

    /// The half that a use of either lies in.
    package subscript(sequence: UInt64) -> PageRun {
        get { sequence.isMultiple(of: 2) ? even : odd }
        set { if sequence.isMultiple(of: 2) { even = newValue } else { odd = newValue } }
    }

    /// Whether the halves can lie among those pages; of the place a follower finds out.
    func isPlausible(in pages: Range<UInt64>) -> Bool {
        halves.allSatisfy { half in
            half.count > 0 && half.start >= pages.lowerBound && half.start < pages.upperBound
                && half.count <= pages.upperBound - half.start
        } && pageLimit > 0 && pageLimit <= UInt64(UInt32.max)
            && (even.end <= odd.start || odd.end <= even.start)
    }

    /// The fields of a commit record that starts at `offset`.
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
