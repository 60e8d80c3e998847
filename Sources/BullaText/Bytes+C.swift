internal import Glibc

extension [UInt8] {
    /// A copy of a span.
    @inlinable
    package init(_ span: RawSpan) {
        // SAFETY: the buffer is used only while the span is borrowed.
        self = unsafe span.withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
    }

    /// Lends the bytes as a span.
    @inlinable
    @inline(__always)
    package func withSpan<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: the span covers the array, which is borrowed while `body` runs.
        try unsafe withUnsafeBytes { buffer in try body(unsafe RawSpan(_unsafeBytes: buffer)) }
    }

    /// Appends a copy of a span.
    @inlinable
    package mutating func append(_ span: RawSpan) {
        // SAFETY: the buffer is used only while the span is borrowed.
        unsafe span.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }

    /// The first position of `byte` in `range`, or `nil`.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a search stays inside")
        guard !range.isEmpty else { return nil }
        return unsafe withUnsafeBytes { buffer in
            // SAFETY: the array is not empty, so it has an address, and `range` lies inside it.
            guard let base = buffer.baseAddress,
                let hit = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(hit) - base
        }
    }

    /// Moves the bytes of `range` to the front, over the bytes there; the array's count does not
    /// change.
    mutating func moveToFront(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a move stays inside")
        unsafe withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            // SAFETY: both places lie inside; memmove allows them to overlap.
            unsafe base.copyMemory(from: base + range.lowerBound, byteCount: range.count)
        }
    }

    /// Extends the array with zeros.
    mutating func grow(to larger: Int) {
        precondition(larger >= count, "an array grows")
        let old = self
        self = unsafe [UInt8](unsafeUninitializedCapacity: larger) { buffer, initialized in
            // SAFETY: the buffer has room for `larger` bytes, and `old` has at most as many.
            unsafe buffer.initialize(repeating: 0)
            unsafe old.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
            }
            initialized = larger
        }
    }

    /// Overwrites every byte with zero, in a way that the compiler cannot remove.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            // SAFETY: the buffer is valid for its count.
            unsafe explicit_bzero(base, buffer.count)
        }
    }
}
