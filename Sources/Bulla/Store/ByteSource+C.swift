internal import BullaMemory

extension [UInt8]: ByteSource {
    /// Lends the array's bytes in place.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: bytes of integers may be looked at as bytes.
        try unsafe body(span.bytes)
    }
}

extension ArraySlice<UInt8>: ByteSource {
    /// Lends the slice's bytes in place.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: bytes of integers may be looked at as bytes.
        try unsafe body(span.bytes)
    }
}

extension String: ByteSource {
    /// Lends the string's UTF-8 bytes, in place where they lie in a row.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: as for an array's.
        try unsafe body(utf8Span.span.bytes)
    }
}

extension Substring: ByteSource {
    /// Lends the substring's UTF-8 bytes, in place where they lie in a row.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: as for an array's.
        try unsafe body(utf8Span.span.bytes)
    }
}

extension StaticString: ByteSource {
    /// Lends a copy of the string's UTF-8 bytes.
    @inlinable
    public func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try description.withBytes(body)
    }
}

extension [UInt8] {
    /// A copy of bytes and of those behind them, in one array.
    init(joining head: ByteView, _ tail: ByteView) {
        let count = head.byteCount + tail.byteCount
        unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
            // SAFETY: room for both, one behind the other, all of which is written.
            if let base = buffer.baseAddress {
                let bytes = unsafe MutableByteView(base: base, byteCount: count)
                bytes.copy(head, to: 0)
                bytes.copy(tail, to: head.byteCount)
            }
            initialized = count
        }
    }

    /// `byteCount` bytes, one at least, all of which `body` writes unless it throws.
    ///
    /// `BullaCipher` has the like for rarer use; a generic of another target is not specialized.
    @inline(__always)
    init<E: Error>(
        writing byteCount: Int, _ body: (MutableByteView) throws(E) -> Void
    ) throws(E) {
        var failure: E?
        unsafe self.init(unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            guard let base = buffer.baseAddress else {
                preconditionFailure("an array to be written has bytes")
            }
            // SAFETY: room for as many bytes, which stays where it is while `body` runs; who gets
            // the array has them all written.
            let bytes = unsafe MutableByteView(base: base, byteCount: byteCount)
            do throws(E) { try body(bytes) } catch { failure = error }
            initializedCount = failure == nil ? byteCount : 0
        }
        if let failure { throw failure }
    }

    /// Lends the array's bytes as a view.
    @inline(__always)
    func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        // SAFETY: bytes of integers may be looked at as bytes.
        try unsafe span.bytes.withView(body)
    }

    /// The same, for closures that throw the engine's error.
    @inline(__always)
    func withTypedView<R>(
        _ body: (ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R { try withView(body) }

    /// Lends the array's bytes to be written over.
    mutating func withMutableView<R>(
        _ body: (MutableByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        try unsafe withUnsafeMutableBufferPointer { buffer throws(BullaError) in
            guard let base = buffer.baseAddress else {
                preconditionFailure("an array to be written over has bytes")
            }
            // SAFETY: the array stays where it is while `body` runs.
            return try body(unsafe MutableByteView(base: base, byteCount: buffer.count))
        }
    }
}
