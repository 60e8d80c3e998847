/// What a frame is bound to: bytes that are authenticated with it.
///
///     offset  bytes  field
///          0     16  file identifier        a frame cannot move to another file
///         16     16  previous frame's tag   nor follow another frame
///         32      8  sequence of the half   nor move to another half, or a later use of its half
///         40      8  offset in the half     nor to another place in the half
///         48      4  byte count             nor be longer or shorter
///         52      2  format version         nor be read by another format's rules
///         54      1  kind                   nor be taken for a different kind of frame
///         55      1  suite                  nor be opened with another cipher
///
/// The ``FrameCipher`` supplies what is the same for the whole file (identifier, suite, format
/// version). It also binds the frame to its segment, because each segment has keys of its own.
package struct FrameContext: Equatable, Sendable {
    package var sequence: UInt64
    package var offset: UInt64
    package var previous: FrameTag
    package var kind: UInt8

    package init(sequence: UInt64, offset: UInt64, previous: FrameTag, kind: UInt8) {
        self.sequence = sequence
        self.offset = offset
        self.previous = previous
        self.kind = kind
    }
}

/// What a frame says of itself: a claim, until the frame has opened.
package struct FrameHead: Equatable, Sendable {
    /// The length of the whole frame.
    package let byteCount: Int
    package let kind: UInt8
    /// Zero in a genuine frame.
    package let reserved: UInt32
    /// The beginning of the previous frame's tag.
    package let repeated: UInt64
}
