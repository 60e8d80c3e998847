package import BullaMemory

/// What vouches for a frame, and names it to the next one.
///
///     suite                 16 bytes
///     AES-256-GCM           the tag
///     AES-256-CTR and HMAC  the first half of the digest
///     plain                 XXH64, then zeros
///
/// It stands in the file and is no secret.
package struct FrameTag: Hashable, Sendable {
    package static let byteCount = 16
    /// What the first frame of a log names: there is none before it.
    package static let none = FrameTag(head: 0, tail: 0)

    private let head: UInt64
    private let tail: UInt64

    private init(head: UInt64, tail: UInt64) {
        self.head = head
        self.tail = tail
    }

    /// The tag that stands at `offset`.
    package init(_ view: ByteView, at offset: Int = 0) {
        head = view.load(UInt64.self, at: offset)
        tail = view.load(UInt64.self, at: offset + 8)
    }

    /// What the head of the next frame repeats: the first 8 bytes.
    package var repeated: UInt64 { head }

    package func store(in view: MutableByteView, at offset: Int) {
        view.store(head, at: offset)
        view.store(tail, at: offset + 8)
    }
}
