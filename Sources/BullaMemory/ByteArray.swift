extension [UInt8] {
    /// Lends the array's bytes as a view, which must not leave `body`.
    @inlinable @inline(__always)
    package func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the bytes of integers can be read as bytes.
        try unsafe span.bytes.withView(body)
    }

    /// Lends the array's bytes for writing; there must be at least one.
    @inlinable
    package mutating func withMutableView<R, E: Error>(
        _ body: (MutableByteView) throws(E) -> R
    ) throws(E) -> R {
        try unsafe withUnsafeMutableBufferPointer { buffer throws(E) in
            guard let base = buffer.baseAddress else {
                preconditionFailure("an array to be written over has bytes")
            }
            // SAFETY: the array stays where it is while `body` runs.
            return try body(unsafe MutableByteView(base: base, byteCount: buffer.count))
        }
    }

    /// Appends a copy of the bytes.
    @inlinable
    package mutating func append(_ view: ByteView) {
        // SAFETY: valid for `byteCount` bytes.
        unsafe append(
            contentsOf: UnsafeRawBufferPointer(start: view.base, count: view.byteCount))
    }
}
