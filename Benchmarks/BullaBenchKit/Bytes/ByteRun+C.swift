/// Byte strings one behind the other, in one piece of memory.
///
/// A slice of work is laid out in such runs before the clock starts, so that what is timed neither
/// allocates nor misses the cache for the sake of the harness.
public struct ByteRun: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var ends: [Int] = [0]

    /// An empty run.
    public init() {}

    /// How many strings there are.
    public var count: Int { ends.count - 1 }
    package var byteCount: Int { bytes.count }

    package mutating func reserve(count: Int, byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(count + 1)
    }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        ends.append(0)
    }

    /// Appends one string, written by `write`.
    package mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
        ends.append(bytes.count)
    }

    /// Appends a copy of what a span holds.
    public mutating func append(_ string: RawSpan) {
        // SAFETY: the buffer lives as long as the span.
        unsafe string.withUnsafeBytes { buffer in unsafe bytes.append(contentsOf: buffer) }
        ends.append(bytes.count)
    }

    /// Lends string `index`.
    ///
    /// Adapters of other packages call it for each record, so that it must cost nothing there too.
    @inlinable
    @inline(__always)
    public func withBytes<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: the span stays inside `bytes`, which is borrowed while `body` runs.
        try unsafe bytes.withUnsafeBytes { buffer in
            try body(unsafe RawSpan(_unsafeBytes: buffer).extracting(ends[index]..<ends[index + 1]))
        }
    }
}

extension [UInt8] {
    /// Lends the bytes as a span.
    @inline(__always)
    package func withSpan<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        // SAFETY: the span covers the array, which is borrowed while `body` runs.
        try unsafe withUnsafeBytes { buffer in try body(unsafe RawSpan(_unsafeBytes: buffer)) }
    }

    /// Appends what a span holds.
    package mutating func append(_ span: RawSpan) {
        // SAFETY: the buffer lives as long as the span.
        unsafe span.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }

    /// A copy of what a span holds.
    package init(_ span: RawSpan) {
        // SAFETY: the buffer lives as long as the span.
        self = unsafe span.withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
    }
}
