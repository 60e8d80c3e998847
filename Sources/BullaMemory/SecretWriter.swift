/// Bytes that are being written, and that nobody else may read: they lie in secret memory, which
/// grows as they do.
///
/// Memory that has become too small is wiped, and so is what is removed.
package struct SecretWriter: ~Copyable, Sendable {
    private var memory: SecretBytes?
    package private(set) var byteCount = 0

    /// No bytes, and no memory yet.
    package init() {}

    /// How many bytes the memory holds before it has to grow.
    package private(set) var byteCapacity = 0

    /// Makes room for `count` bytes before the byte at `offset`.
    ///
    /// The caller writes over all of them: what they hold until then is not said.
    ///
    /// - Throws: ``MemoryError`` when the system has no memory; everything is as before then.
    /// - Complexity: in the bytes from `offset`; amortized, as the memory doubles.
    package mutating func insert(_ count: Int, at offset: Int) throws(MemoryError) {
        precondition(count >= 0 && 0...byteCount ~= offset, "the room begins inside the bytes")
        let end = byteCount
        if count > byteCapacity - end { try grow(to: end + count) }
        byteCount = end + count
        guard offset < end else { return }
        withMemory { $0.move(from: offset, to: offset + count, count: end - offset) }
    }

    /// Takes bytes out; those behind move down.
    package mutating func remove(_ range: Range<Int>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= byteCount, "only what is there is removed")
        let end = byteCount
        withMemory { bytes in
            bytes.move(
                from: range.upperBound, to: range.lowerBound, count: end - range.upperBound)
            bytes.fill(end - range.count, range.count)
        }
        byteCount = end - range.count
    }

    /// Wipes the bytes, and keeps the memory for the next ones.
    package mutating func removeAll() { remove(0..<byteCount) }

    package mutating func store(_ byte: UInt8, at offset: Int) {
        precondition(offset < byteCount, "a byte is stored inside")
        withMemory { $0.store(byte, at: offset) }
    }

    /// Stores the lowest `count` bytes of a number, 1, 2, 4 or 8, the highest of them first.
    package mutating func store(bigEndian number: UInt64, _ count: Int, at offset: Int) {
        precondition(offset + count <= byteCount, "a number is stored inside")
        withMemory { bytes in
            switch count {
            case 1: bytes.store(UInt8(truncatingIfNeeded: number), at: offset)
            case 2: bytes.store(UInt16(truncatingIfNeeded: number).byteSwapped, at: offset)
            case 4: bytes.store(UInt32(truncatingIfNeeded: number).byteSwapped, at: offset)
            default: bytes.store(number.byteSwapped, at: offset)
            }
        }
    }

    /// Stores bytes, which must not be this writer's own.
    package mutating func store(_ source: ByteView, at offset: Int) {
        precondition(offset + source.byteCount <= byteCount, "bytes are stored inside")
        guard source.byteCount > 0 else { return }
        withMemory { $0.copy(source, to: offset) }
    }

    /// Lends what has been written; the view must not leave `body`.
    package borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        switch memory {
        case .none: return try body(emptyView)
        case .some(let memory):
            return try memory.withView { (view: ByteView) throws(E) -> R in
                try body(view.slice(0, byteCount))
            }
        }
    }

    private mutating func grow(to count: Int) throws(MemoryError) {
        var larger = try SecretBytes(byteCount: max(count, 2 * byteCapacity, Self.firstByteCount))
        withView { view in larger.withMutableView { $0.copy(view, to: 0) } }
        byteCapacity = larger.byteCount
        memory = consume larger
    }

    @inline(__always)
    private mutating func withMemory(_ body: (MutableByteView) -> Void) {
        memory?.withMutableView(body)
    }

    /// Enough for most entities: a few fields of text.
    private static let firstByteCount = 512
}
