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
    // An array that is made uninitialized, or of zeros, looks up the type of its storage each time
    // (as of Swift 6.3): as long as copying some hundred bytes takes. One that is reserved, or is a
    // copy, does not.

    /// A copy of bytes and of those behind them, in one array.
    init(joining head: ByteView, _ tail: ByteView) {
        self = []
        reserveCapacity(head.byteCount + tail.byteCount)
        // SAFETY: each is valid for its count.
        unsafe append(contentsOf: UnsafeRawBufferPointer(start: head.base, count: head.byteCount))
        unsafe append(contentsOf: UnsafeRawBufferPointer(start: tail.base, count: tail.byteCount))
    }

    /// `byteCount` bytes, one at least, all of which `body` writes unless it throws; no secret.
    ///
    /// `BullaCipher` has the like for rarer use; a generic of another target is not specialized.
    @inline(__always)
    init<E: Error>(
        writing byteCount: Int, _ body: (MutableByteView) throws(E) -> Void
    ) throws(E) {
        if byteCount > Self.stackByteLimit {
            try self.init(writingInPlace: byteCount, body)
        } else {
            self = try unsafe withUnsafeTemporaryAllocation(
                byteCount: byteCount, alignment: 8
            ) { buffer throws(E) in
                guard let base = buffer.baseAddress else { return [] }
                // SAFETY: room for as many bytes while `body` runs, which has written them all.
                try body(unsafe MutableByteView(base: base, byteCount: byteCount))
                return unsafe [UInt8](UnsafeRawBufferPointer(buffer))
            }
        }
    }

    private static var stackByteLimit: Int { 1024 }

    private init<E: Error>(
        writingInPlace byteCount: Int, _ body: (MutableByteView) throws(E) -> Void
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
