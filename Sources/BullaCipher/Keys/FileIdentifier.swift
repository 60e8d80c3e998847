package import BullaMemory

/// Identifies one file among all others: 16 random bytes, made once with the file.
///
/// It is the salt with which every key is derived from the master secret, and a part of every
/// page's context.
package struct FileIdentifier: Hashable, Sendable {
    package static let byteCount = 16

    @usableFromInline let head: UInt64
    @usableFromInline let tail: UInt64

    /// The identifier in the first 16 bytes of `view`.
    package init(_ view: ByteView) {
        head = view.load(UInt64.self, at: 0)
        tail = view.load(UInt64.self, at: 8)
    }

    private init(head: UInt64, tail: UInt64) {
        self.head = head
        self.tail = tail
    }

    // Every opening of a blob compares identifiers, and the synthesized comparison would be called
    // through a witness table.
    @inlinable @inline(__always)
    package static func == (one: FileIdentifier, other: FileIdentifier) -> Bool {
        one.head == other.head && one.tail == other.tail
    }

    /// A new identifier, for a new file.
    package static func random() throws(CipherError) -> FileIdentifier {
        FileIdentifier(head: try KernelRandom.uint64(), tail: try KernelRandom.uint64())
    }

    /// The 16 bytes as they are stored in the file.
    package var bytes: [UInt8] { head.littleEndianBytes + tail.littleEndianBytes }

    /// Writes the 16 bytes to `offset`.
    package func store(in view: MutableByteView, at offset: Int) {
        view.store(head, at: offset)
        view.store(tail, at: offset + 8)
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the lowest first.
    package var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
