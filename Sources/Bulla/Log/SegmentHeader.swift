package import BullaCipher
package import BullaMemory

/// 32 random bytes, drawn for one segment, from which the keys of its frames are derived.
package struct SegmentRandom: Hashable, Sendable {
    package static let byteCount = MasterSecret.segmentByteCount

    package let bytes: [UInt8]

    /// Copies the bytes at `offset`.
    package init(_ view: ByteView, at offset: Int = 0) {
        bytes = view.slice(offset, Self.byteCount).copied()
    }

    /// Draws the random bytes for a new segment.
    package static func drawn() throws(BullaError) -> SegmentRandom {
        do throws(CipherError) {
            return try SegmentRandom(bytes: [UInt8](byteCount: byteCount, KernelRandom.fill))
        } catch { throw BullaError.cipher("draw the random bytes of a segment of the log", error) }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }
}

/// The beginning of a segment: which world (the processes that have the file open together) appends
/// to it, what it follows, and where its keys come from.
///
/// A segment begins at a block boundary of the half. Its header lies there, and once more in the
/// next block; its first frame lies after the second copy:
///
///     byte                        what
///        0                        first copy
///     4096                        second copy
///     4096 + 512                  frames
package struct SegmentHeader: Hashable, Sendable {
    static let magic: UInt64 = 0x676F_6C41_4C4C_5542
    /// Segments begin at multiples of this, so that a torn block damages no more than one segment.
    package static let blockByteCount: UInt64 = 4096
    package static let copyCount = 2
    /// The distance from the beginning of the segment to its first frame.
    package static let frameOffset = blockByteCount + UInt64(SegmentField.byteCount)

    package var random: SegmentRandom
    package var world: Identifier
    package var sequence: UInt64
    /// The tag of the last frame before this segment, whichever segment that frame lies in.
    package var previous: FrameTag
    package var durableCommit: UInt64
    /// Where ``durableCommit`` ends, for people who inspect a file.
    ///
    /// Recovery uses only the commit's number.
    package var durablePlace: LogPlace

    package init(
        random: SegmentRandom, world: Identifier, sequence: UInt64, previous: FrameTag,
        durableCommit: UInt64, durablePlace: LogPlace
    ) {
        self.random = random
        self.world = world
        self.sequence = sequence
        self.previous = previous
        self.durableCommit = durableCommit
        self.durablePlace = durablePlace
    }

    /// Where a copy of the header lies.
    package static func offset(of copy: Int, segment: UInt64) -> UInt64 {
        invariant(0..<copyCount ~= copy, "a header has two copies")
        return segment &+ UInt64(copy) &* blockByteCount
    }

    /// Reads the header from the content of an opened page.
    ///
    /// - Returns: `nil` for content that no correct writer writes.
    init?(_ content: ByteView, half: Int) {
        func word(_ field: SegmentField) -> UInt64 {
            content.load(UInt64.self, at: Self.place(field))
        }
        random = SegmentRandom(content, at: Self.place(.random))
        world = Identifier(content, at: Self.place(.world))
        sequence = word(.sequence)
        previous = FrameTag(content, at: Self.place(.previous))
        durableCommit = word(.durableCommit)
        durablePlace = LogPlace(
            sequence: word(.durableSequence), offset: word(.durableOffset))
        let spare = content.slice(Self.place(.spare), SegmentField.spare.byteCount)
        guard spare.isZero, LogPlace(sequence: sequence, offset: 0).half == half,
            durablePlace.sequence <= sequence
        else { return nil }
    }

    /// Writes the whole content that is to be sealed.
    func write(_ content: MutableByteView) {
        invariant(content.byteCount == SegmentField.contentByteCount, "a header fills its page")
        content.fill(0, content.byteCount)
        random.bytes.withView { content.copy($0, to: Self.place(.random)) }
        world.write(content, at: Self.place(.world))
        content.store(sequence, at: Self.place(.sequence))
        previous.store(in: content, at: Self.place(.previous))
        content.store(durableCommit, at: Self.place(.durableCommit))
        content.store(durablePlace.sequence, at: Self.place(.durableSequence))
        content.store(durablePlace.offset, at: Self.place(.durableOffset))
    }

    /// Where a field lies in the sealed content.
    private static func place(_ field: SegmentField) -> Int {
        field.offset - SegmentField.random.offset
    }
}
