package import BullaCipher

/// What seals and opens the segments of a log that lie under one secret.
package struct SegmentKeys: Sendable {
    package let seal: SegmentSeal
    /// Tells the secret from others.
    private let secret: UInt64
    private let make: @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher

    /// - Parameters:
    ///   - header: what ``LogIdentity/headerCipher(under:)`` gives.
    ///   - cipher: what ``LogIdentity/frameCipher(of:under:)`` gives for a segment.
    package init(
        _ identity: LogIdentity, header: PageCipher, secret: UInt64 = 0,
        cipher: @escaping @Sendable (SegmentRandom) throws(BullaError) -> FrameCipher
    ) {
        seal = SegmentSeal(identity, header)
        self.secret = secret
        make = cipher
    }

    /// Those of a plain store, which has none.
    package init(plain identity: LogIdentity) throws(BullaError) {
        self.init(identity, header: try identity.plainHeaderCipher()) {
            random throws(BullaError) in try identity.plainFrameCipher(of: random)
        }
    }

    /// - Parameters:
    ///   - secrets: `nil` for a plain store.
    ///   - isFormer: whether they come from the secret that was replaced.
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

    /// A secret's first key epoch tells it from others; the former one's is not known any more.
    static func number(_ secrets: PageCiphers.Secrets, isFormer: Bool) -> UInt64 {
        isFormer ? 0 : secrets.all.firstEpoch
    }

    /// A segment that begins with this header.
    func segment(_ header: SegmentHeader, at offset: UInt64) throws(BullaError) -> LogSegment {
        LogSegment(
            header: header, offset: offset, secret: secret, cipher: try make(header.random))
    }
}

/// A segment of the log, and what seals its frames.
struct LogSegment: Sendable {
    let header: SegmentHeader
    /// Where in its half it begins.
    let offset: UInt64
    /// Tells the secret that it lies under from others.
    let secret: UInt64
    let cipher: FrameCipher

    var reader: FrameReader { FrameReader(cipher, sequence: header.sequence) }
    /// Where its first frame belongs.
    var firstPlace: LogPlace {
        LogPlace(sequence: header.sequence, offset: offset + SegmentHeader.frameOffset)
    }
}
