package import BullaCipher

/// What seals and opens one log: the headers of its segments, and the frames of each.
package struct LogKeys: Sendable {
    package let identity: LogIdentity
    package let seal: SegmentSeal
    private let make: @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher

    /// - Parameters:
    ///   - header: what ``LogIdentity/headerCipher(under:)`` gives.
    ///   - cipher: what ``LogIdentity/frameCipher(of:under:)`` gives for a segment.
    package init(
        _ identity: LogIdentity, header: PageCipher,
        cipher: @escaping @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher
    ) {
        self.identity = identity
        seal = SegmentSeal(identity, header)
        make = cipher
    }

    /// Those of a plain store, which has none.
    package init(plain identity: LogIdentity) throws(BullaError) {
        self.init(identity, header: try identity.plainHeaderCipher()) {
            random throws(BullaError) in try identity.plainFrameCipher(of: random)
        }
    }

    /// A segment that begins with this header.
    func segment(_ header: SegmentHeader, at offset: UInt64) throws(BullaError) -> LogSegment {
        LogSegment(header: header, offset: offset, cipher: try make(header.random))
    }
}

/// A segment of the log, and what seals its frames.
struct LogSegment: Sendable {
    let header: SegmentHeader
    /// Where in its half it begins.
    let offset: UInt64
    let cipher: FrameCipher

    var reader: FrameReader { FrameReader(cipher, sequence: header.sequence) }
    /// Where its first frame belongs.
    var firstPlace: LogPlace {
        LogPlace(sequence: header.sequence, offset: offset + SegmentHeader.frameOffset)
    }
}
