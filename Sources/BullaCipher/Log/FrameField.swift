/// The fields of a frame, in file order.
///
/// Offsets are sums, so they cannot disagree.
///
///     field        bytes  sealed                      plain
///     byteCount        4  of the whole frame, masked  the same, not masked
///     kind             1  what it holds, masked       the same, not masked
///     reserved         3  zeros, masked               zeros
///     repeated         8  beginning of the previous   the same, not masked
///                         frame's tag, masked
///     nonce           12  random                      zeros
///     ciphertext       n  the content, sealed         the content
///     tag             16  see ``FrameTag``            see ``FrameTag``
///
/// The mask of the first 16 bytes is AES-256-ECB of the first 16 bytes of ciphertext, under a
/// separate key.
///
/// - Source: RFC 9001, sections 5.4.1 and 5.4.3.
package enum FrameField: Int, CaseIterable, Sendable {
    case byteCount, kind, reserved, repeated, nonce, ciphertext, tag

    /// Zero for the ciphertext, whose length follows from the byte count of the frame.
    package var byteCount: Int {
        switch self {
        case .byteCount: 4
        case .kind: 1
        case .reserved: 3
        case .repeated: 8
        case .nonce: 12
        case .ciphertext: 0
        case .tag: FrameTag.byteCount
        }
    }

    /// The offset from the beginning of the frame; for the tag, its offset in a frame without
    /// ciphertext.
    ///
    /// The compiler computes the sum; a table would be checked for initialization at each lookup.
    @inline(__always)
    package var offset: Int {
        var offset = 0
        for number in 0..<rawValue { offset += FrameField(rawValue: number)?.byteCount ?? 0 }
        return offset
    }

    /// How many more bytes a frame has than its ciphertext.
    package static var extraByteCount: Int { FrameField.tag.offset + FrameField.tag.byteCount }
}
