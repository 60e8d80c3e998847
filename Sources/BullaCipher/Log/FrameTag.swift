package import BullaMemory

/// Authenticates a frame, and identifies it to the next one.
///
///     suite                 16 bytes
///     AES-256-GCM           the tag
///     AES-256-CTR and HMAC  the first half of the digest
///     plain                 XXH64, then zeros
///
/// It is stored in the file, and is not secret.
package struct FrameTag: Hashable, Sendable {
    package static let byteCount = 16
    /// The tag that the first frame of a log names, as there is no frame before it.
    package static let none = FrameTag(head: 0, tail: 0)

    private let head: UInt64
    private let tail: UInt64

    private init(head: UInt64, tail: UInt64) {
        self.head = head
        self.tail = tail
    }

    /// The tag at `offset`.
    package init(_ view: ByteView, at offset: Int = 0) {
        head = view.load(UInt64.self, at: offset)
        tail = view.load(UInt64.self, at: offset + 8)
    }

    /// The first 8 bytes, which the head of the next frame repeats.
    package var repeated: UInt64 { head }

    package func store(in view: MutableByteView, at offset: Int) {
        view.store(head, at: offset)
        view.store(tail, at: offset + 8)
    }
}
