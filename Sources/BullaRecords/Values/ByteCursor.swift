package import BullaMemory

/// Reads fields from bytes that nobody vouches for, one after the other.
///
/// Every step says `nil` where the bytes end before the field does; nothing is allocated by a count
/// that was read before as many bytes are there.
package struct ByteCursor {
    private let view: ByteView
    package private(set) var offset = 0

    package init(_ view: ByteView) { self.view = view }

    package var isAtEnd: Bool { offset == view.byteCount }
    package var leftByteCount: Int { view.byteCount - offset }

    /// A number, little-endian.
    package mutating func next<N: FixedWidthInteger & BitwiseCopyable>(_ type: N.Type) -> N? {
        let count = MemoryLayout<N>.size
        guard count <= leftByteCount else { return nil }
        defer { offset += count }
        return view.load(N.self, at: offset)
    }

    /// A float by its bits.
    package mutating func nextDouble() -> Double? {
        next(UInt64.self).map { Double(bitPattern: $0) }
    }

    /// So many bytes, where they lie.
    package mutating func nextView(_ count: Int) -> ByteView? {
        guard count >= 0, count <= leftByteCount else { return nil }
        defer { offset += count }
        return view.slice(offset, count)
    }

    /// Bytes behind their count of 32 bits.
    package mutating func nextCounted() -> ByteView? {
        guard let count = next(UInt32.self) else { return nil }
        return nextView(Int(count))
    }

    /// A text behind its byte count; `nil` too where it is not UTF-8.
    package mutating func nextText() -> String? {
        guard let bytes = nextCounted(), bytes.isText else { return nil }
        return bytes.text
    }

    /// Sixteen bytes that name something.
    package mutating func nextIdentifier() -> RandomIdentifier? {
        nextView(RandomIdentifier.byteCount).flatMap { RandomIdentifier($0) }
    }
}

extension [UInt8] {
    /// Appends a number, little-endian.
    package mutating func append<N: FixedWidthInteger>(number: N) {
        for shift in stride(from: 0, to: N.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> N(shift)))
        }
    }

    /// Appends a float by its bits.
    package mutating func append(double: Double) { append(number: double.bitPattern) }

    /// Appends bytes behind their count of 32 bits.
    ///
    /// Lists of fields that are all counted so never give the same bytes.
    package mutating func append(counted bytes: some Collection<UInt8>) {
        append(number: UInt32(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends a text behind its byte count.
    package mutating func append(text: String) { append(counted: text.utf8) }
}
