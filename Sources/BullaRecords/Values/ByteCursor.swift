package import BullaMemory

/// Reads consecutive fields from untrusted bytes.
///
/// Each step returns `nil` if the bytes end too early; a count is never used to allocate memory
/// before that many bytes are known to exist.
package struct ByteCursor {
    private let view: ByteView
    package private(set) var offset = 0

    package init(_ view: ByteView) { self.view = view }

    package var isAtEnd: Bool { offset == view.byteCount }
    package var leftByteCount: Int { view.byteCount - offset }

    /// A little-endian number.
    package mutating func next<N: FixedWidthInteger & BitwiseCopyable>(_ type: N.Type) -> N? {
        let count = MemoryLayout<N>.size
        guard count <= leftByteCount else { return nil }
        defer { offset += count }
        return view.load(N.self, at: offset)
    }

    /// A floating-point number from its bits.
    package mutating func nextDouble() -> Double? {
        next(UInt64.self).map { Double(bitPattern: $0) }
    }

    /// The next `count` bytes, without copying them.
    package mutating func nextView(_ count: Int) -> ByteView? {
        guard count >= 0, count <= leftByteCount else { return nil }
        defer { offset += count }
        return view.slice(offset, count)
    }

    /// The bytes that follow their own 32-bit count.
    package mutating func nextCounted() -> ByteView? {
        guard let count = next(UInt32.self) else { return nil }
        return nextView(Int(count))
    }

    /// A text that follows its own byte count; also `nil` if it is not UTF-8.
    package mutating func nextText() -> String? {
        guard let bytes = nextCounted(), bytes.isText else { return nil }
        return bytes.text
    }

    /// A random identifier of sixteen bytes.
    package mutating func nextIdentifier() -> RandomIdentifier? {
        nextView(RandomIdentifier.byteCount).flatMap { RandomIdentifier($0) }
    }
}

extension [UInt8] {
    /// Appends a little-endian number.
    package mutating func append<N: FixedWidthInteger>(number: N) {
        for shift in stride(from: 0, to: N.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> N(shift)))
        }
    }

    /// Appends the bits of a floating-point number.
    package mutating func append(double: Double) { append(number: double.bitPattern) }

    /// Appends the 32-bit count of bytes, and the bytes.
    ///
    /// So different lists of counted fields never give the same bytes.
    package mutating func append(counted bytes: some Collection<UInt8>) {
        append(number: UInt32(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends the byte count of a text, and the text.
    package mutating func append(text: String) { append(counted: text.utf8) }
}
