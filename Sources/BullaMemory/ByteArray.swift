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

extension [[UInt8]] {
    /// Lends the bytes of the list's strings; no view may leave `body`.
    @inlinable @inline(__always)
    package func withViews<R, E: Error>(
        _ body: (ByteViews) throws(E) -> R
    ) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { list throws(E) in
            try body(unsafe ByteViews(list))
        }
    }
}

/// Gives views of a list's byte strings, without counting references to the strings.
@usableFromInline @safe package struct ByteViews {
    @usableFromInline let list: UnsafeBufferPointer<[UInt8]>

    @inlinable @inline(__always)
    init(_ list: UnsafeBufferPointer<[UInt8]>) { unsafe self.list = unsafe list }

    @inlinable @inline(__always)
    package var count: Int { unsafe list.count }

    @inlinable @inline(__always)
    package subscript(place: Int) -> ByteView {
        precondition(UInt(bitPattern: place) < UInt(bitPattern: count), "a string of the list")
        // SAFETY: the list keeps its strings, and so their bytes, alive while the views are lent.
        return unsafe list[place].withView { $0 }
    }
}
