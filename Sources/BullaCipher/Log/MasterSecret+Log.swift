package import BullaMemory

/// The keys of the log, which are derived from the halves of the master secret.
///
///     key          from         seals or authenticates
///     frame key    both halves  the frames of one segment
///     mask key     first half   their heads
///     header keys  both halves  the headers of the segments of one history
extension MasterSecret {
    /// How many random bytes a segment has.
    package static let segmentByteCount = 32
    /// How many bytes three keys have: for AES-256, for HMAC-SHA-256, and for the masks.
    package static let segmentKeyByteCount = 3 * KeyHalf.byteCount

    /// The 96 bytes that seal the frames of one segment.
    ///
    /// Frames that a crash cut off, those of an earlier use of the log's half, and those of a copy
    /// of the file are all under keys other than this segment's, because their segments have other
    /// random bytes, or another history.
    ///
    /// - Parameters:
    ///   - history: the 16 bytes that name the history.
    ///   - segment: the 32 random bytes of the segment's header.
    /// - Source: RFC 5869, with the file's identifier as the salt.
    package func segmentKey(
        suite: Suite, history: [UInt8], segment: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        precondition(segment.count == Self.segmentByteCount, "a segment has 32 bytes")
        let which = logInfo(suite, history) + segment
        let encrypt = try derive(.first, "bulla log frame encrypt v1", which)
        let authenticate = try derive(.second, "bulla log frame authenticate v1", which)
        let mask = try derive(.first, "bulla log frame mask v1", which)
        var key = try SecretBytes.zeroed(byteCount: Self.segmentKeyByteCount)
        key.withMutableView { key in
            encrypt.withView { key.copy($0, to: 0) }
            authenticate.withView { key.copy($0, to: KeyHalf.byteCount) }
            mask.withView { key.copy($0, to: 2 * KeyHalf.byteCount) }
        }
        return key
    }

    /// The 64 bytes that seal the headers of a history's segments.
    ///
    /// Each segment needs two seals, and no store begins so many segments that the seals reach
    /// 2^32.
    package func segmentHeaderKey(
        suite: Suite, history: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        let which = logInfo(suite, history)
        let encrypt = try derive(.first, "bulla log header encrypt v1", which)
        let authenticate = try derive(.second, "bulla log header authenticate v1", which)
        var key = try SecretBytes.zeroed(byteCount: KeyHalf.bothByteCount)
        key.withMutableView { key in
            encrypt.withView { key.copy($0, to: KeyHalf.first.offset) }
            authenticate.withView { key.copy($0, to: KeyHalf.second.offset) }
        }
        return key
    }

    private func logInfo(_ suite: Suite, _ history: [UInt8]) -> [UInt8] {
        precondition(history.count == Self.historyByteCount, "a history has 16 bytes")
        return [suite.rawValue] + history
    }
}
