package import BullaMemory

/// 32 bytes of SHA-256 or HMAC-SHA-256.
///
/// There is no `==`: ``equals(_:)`` compares digests in a time that does not tell where they
/// differ.
package struct Digest: Sendable {
    package static let byteCount = 32

    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0

    /// The digest in the first 32 bytes of `view`.
    package init(_ view: ByteView) {
        a = view.load(UInt64.self, at: 0)
        b = view.load(UInt64.self, at: 8)
        c = view.load(UInt64.self, at: 16)
        d = view.load(UInt64.self, at: 24)
    }

    /// The digest in the first 32 of `bytes`.
    init(_ bytes: [UInt8]) { self = bytes.withView { Digest($0) } }

    package func equals(_ other: Digest) -> Bool {
        ConstantTime.areEqual(self, other)
    }

    /// The 32 bytes in order.
    package var bytes: [UInt8] {
        a.littleEndianBytes + b.littleEndianBytes + c.littleEndianBytes + d.littleEndianBytes
    }

    /// Writes the 32 bytes to `offset`.
    package func store(in view: MutableByteView, at offset: Int) {
        view.store(a, at: offset)
        view.store(b, at: offset + 8)
        view.store(c, at: offset + 16)
        view.store(d, at: offset + 24)
    }
}
