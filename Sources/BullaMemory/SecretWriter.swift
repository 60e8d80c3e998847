/// Secret bytes that are being written: they lie in secret memory that grows as needed.
///
/// When the bytes move to larger memory, the writer wipes the memory that they leave. When bytes
/// are removed, it wipes the places that become free.
package struct SecretWriter: ~Copyable, Sendable {
    private var memory: SecretBytes?
    package private(set) var byteCount = 0

    /// No bytes, and no memory yet.
    package init() {}

    /// How many bytes the memory holds before it has to grow.
    package private(set) var byteCapacity = 0

    /// Makes room for `count` bytes before the byte at `offset`.
    ///
    /// The caller overwrites all of them; until then their content is undefined.
    ///
    /// - Throws: ``MemoryError`` if the system has no memory; then nothing has changed.
    /// - Complexity: linear in the bytes after `offset`; growing is amortized, because the memory
    ///   doubles.
    package mutating func insert(_ count: Int, at offset: Int) throws(MemoryError) {
        precondition(count >= 0 && 0...byteCount ~= offset, "the room begins inside the bytes")
        let end = byteCount
        if count > byteCapacity - end { try grow(to: end + count) }
        byteCount = end + count
        guard offset < end else { return }
        withMemory { $0.move(from: offset, to: offset + count, count: end - offset) }
    }

    /// Removes bytes; those after them move down.
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

    /// Lends the bytes for writing; the view must not leave `body`.
    ///
    /// - Precondition: there are bytes.
    package mutating func withMutableView(_ body: (MutableByteView) -> Void) {
        precondition(byteCount > 0, "there are bytes to write over")
        let count = byteCount
        withMemory { body($0.slice(0, count)) }
    }

    /// Lends the bytes for reading; the view must not leave `body`.
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

    /// Enough for most entities, which are a few fields of text.
    private static let firstByteCount = 512
}
