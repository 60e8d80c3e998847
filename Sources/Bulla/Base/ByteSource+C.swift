internal import BullaMemory

extension [UInt8]: ByteSource {
    /// Lends the array's bytes in place.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: integers have no padding, so all of their bytes may be read.
        try unsafe body(span.bytes)
    }
}

extension ArraySlice<UInt8>: ByteSource {
    /// Lends the slice's bytes in place.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: as for an array's bytes.
        try unsafe body(span.bytes)
    }
}

extension String: ByteSource {
    /// Lends the string's UTF-8 bytes, in place if they are contiguous.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: as for an array's bytes.
        try unsafe body(utf8Span.span.bytes)
    }
}

extension Substring: ByteSource {
    /// Lends the substring's UTF-8 bytes, in place if they are contiguous.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: as for an array's bytes.
        try unsafe body(utf8Span.span.bytes)
    }
}

extension StaticString: ByteSource {
    /// Lends a copy of the string's UTF-8 bytes.
    @inlinable
    public func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try description.withBytes(body)
    }
}

extension [UInt8] {
    /// Copies of two runs of bytes, joined in one array.
    ///
    /// - Complexity: one copy if the second run already follows the first in memory, as a value
    ///   follows its key in a leaf.
    init(joining head: ByteView, _ tail: ByteView) {
        let byteCount = head.byteCount + tail.byteCount
        // SAFETY: the address after `head` is only compared, and no byte there is read.
        if unsafe head.base + head.byteCount == tail.base {
            // SAFETY: both are valid for their counts, and the second begins where the first ends.
            self = unsafe ByteView(base: head.base, byteCount: byteCount).copied()
            return
        }
        // The comment on `[UInt8](byteCount:_:)` says why not to begin with an uninitialized array.
        self = []
        reserveCapacity(byteCount)
        // SAFETY: each is valid for its count.
        unsafe append(contentsOf: UnsafeRawBufferPointer(start: head.base, count: head.byteCount))
        unsafe append(contentsOf: UnsafeRawBufferPointer(start: tail.base, count: tail.byteCount))
    }

    /// Lends the array's bytes as a view, to a closure that throws the engine's error.
    @inline(__always)
    func withTypedView<R: ~Copyable>(
        _ body: (ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R { try withView(body) }
}
