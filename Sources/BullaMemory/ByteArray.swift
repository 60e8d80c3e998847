extension [UInt8] {
    /// Lends the array's bytes as a view, which must not leave `body`.
    @inlinable @inline(__always)
    package func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: bytes of integers may be looked at as bytes.
        try unsafe span.bytes.withView(body)
    }

    /// Appends a copy of the bytes.
    @inlinable
    package mutating func append(_ view: ByteView) {
        // SAFETY: valid for `byteCount` bytes.
        unsafe append(
            contentsOf: UnsafeRawBufferPointer(start: view.base, count: view.byteCount))
    }
}
