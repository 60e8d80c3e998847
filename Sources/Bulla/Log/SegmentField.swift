internal import BullaCipher

/// The fields of one copy of a segment's header, in file order.
///
/// The fields before ``random`` are claims, which distinguish a header from anything else. The rest
/// is sealed as a small page. That page is bound to file, suite and format, and to the place of the
/// copy: the offset of the segment serves as page number, the half as birth, the copy as kind.
package enum SegmentField: Int, CaseIterable {
    case magic, formatVersion, suite, copy, reserved, history
    case random, world, sequence, previous
    case durableCommit, durableSequence, durableOffset, spare, trailer

    package var byteCount: Int {
        switch self {
        case .magic, .sequence, .durableCommit, .durableSequence, .durableOffset: 8
        case .formatVersion: 2
        case .suite, .copy: 1
        case .reserved: 4
        case .history, .world, .previous: 16
        case .random: SegmentRandom.byteCount
        case .spare: 352
        case .trailer: PageFormat.trailerByteCount
        }
    }

    package var offset: Int { Self.offsets[rawValue] }

    private static let offsets = allCases.map { field in
        allCases.prefix(field.rawValue).reduce(0) { $0 + $1.byteCount }
    }

    /// The length of a sector, 512 bytes, so that a torn write of the next frame does not tear the
    /// header.
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }
    static let sealedByteCount = byteCount - SegmentField.random.offset
    static let contentByteCount = sealedByteCount - SegmentField.trailer.byteCount

    package var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 6C 6F 67"
        case .formatVersion: "1"
        case .suite: "as in the header of the file"
        case .copy: "0 or 1"
        case .reserved, .spare: "zero"
        case .history: "the history that the log belongs to"
        case .random: "random; the keys of the frames come from it"
        case .world: "the world that appends to the segment"
        case .sequence: "how many uses of halves came before"
        case .previous: "tag of the frame before, in whatever segment"
        case .durableCommit: "newest commit known to be flushed when this was written"
        case .durableSequence: "sequence of the half in which that commit ends"
        case .durableOffset: "where in it"
        case .trailer: "nonce, tag, zero"
        }
    }
}
