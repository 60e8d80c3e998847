package import BullaCipher

/// The keys of those segments of a log that are sealed under one secret.
package struct SegmentKeys: Sendable {
    package let seal: SegmentSeal
    /// A number that distinguishes the secret from others.
    private let secret: UInt64
    private let make: @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher

    /// - Parameters:
    ///   - header: what ``LogIdentity/headerCipher(under:)`` returns.
    ///   - cipher: for a segment, returns what ``LogIdentity/frameCipher(of:under:)`` returns.
    package init(
        _ identity: LogIdentity, header: PageCipher, secret: UInt64 = 0,
        cipher: @escaping @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher
    ) {
        seal = SegmentSeal(identity, header)
        self.secret = secret
        make = cipher
    }

    /// Makes the keys for a plain store, whose segments are not encrypted, but still checked.
    package init(plain identity: LogIdentity) throws(BullaError) {
        self.init(identity, header: try identity.plainHeaderCipher()) {
            random throws(BullaError) in try identity.plainFrameCipher(of: random)
        }
    }

    /// - Parameters:
    ///   - secrets: `nil` for a plain store.
    ///   - isFormer: whether the keys come from the secret that was replaced.
    init(
        _ identity: LogIdentity, _ secrets: PageCiphers.Secrets?, isFormer: Bool
    ) throws(BullaError) {
        guard let secrets else {
            try self.init(plain: identity)
            return
        }
        let epoch = isFormer ? 0 : secrets.all.firstEpoch
        guard secrets.all.has(epoch) else {
            throw BullaError(
                .corrupted, "derive keys of the log: they come from a secret that was replaced")
        }
        let header = try identity.headerCipher(under: secrets.all[of: epoch])
        self.init(identity, header: header, secret: Self.number(secrets, isFormer: isFormer)) {
            random throws(BullaError) in
            try identity.frameCipher(of: random, under: secrets.all[of: epoch])
        }
    }

    /// A secret's number is its first key epoch; the former secret has 0, because its epoch is no
    /// longer known.
    static func number(_ secrets: PageCiphers.Secrets, isFormer: Bool) -> UInt64 {
        isFormer ? 0 : secrets.all.firstEpoch
    }

    /// The segment that begins with a header.
    func segment(_ header: SegmentHeader, at offset: UInt64) throws(BullaError) -> LogSegment {
        LogSegment(
            header: header, offset: offset, secret: secret, cipher: try make(header.random))
    }
}

/// A segment of the log, and the cipher of its frames.
struct LogSegment: Sendable {
    let header: SegmentHeader
    /// Where in its half the segment begins.
    let offset: UInt64
    /// The number of the secret under which the segment is sealed; 0 for the former secret.
    let secret: UInt64
    let cipher: FrameCipher

    var reader: FrameReader { FrameReader(cipher, sequence: header.sequence) }
    /// Where the segment's first frame belongs.
    var firstPlace: LogPlace {
        LogPlace(sequence: header.sequence, offset: offset + SegmentHeader.frameOffset)
    }
}
