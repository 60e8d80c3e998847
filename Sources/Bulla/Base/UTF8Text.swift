/// Which bytes are text.
package enum UTF8Text {
    /// Whether the bytes are valid UTF-8 from end to end.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }

    /// The character that begins at `index`, and how many bytes it takes; `nil` if the bytes there
    /// are not UTF-8.
    ///
    /// - Source: Unicode 15, table 3-7 (well-formed UTF-8 byte sequences).
    static func scalar(in bytes: borrowing Span<UInt8>, at index: Int) -> (Unicode.Scalar, Int)? {
        let first = bytes[index]
        guard first >= 0x80 else { return (Unicode.Scalar(first), 1) }
        guard let shape = shape(of: first), index + shape.count <= bytes.count else { return nil }
        guard shape.second.contains(bytes[index + 1]) else { return nil }
        var value = UInt32(first & (0x7F >> UInt8(shape.count)))
        for offset in 1..<shape.count {
            let next = bytes[index + offset]
            guard next & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(next & 0x3F)
        }
        return Unicode.Scalar(value).map { ($0, shape.count) }
    }

    /// The length that a first byte announces, and the second bytes that can follow it; `nil` if no
    /// multibyte character begins with that byte.
    private static func shape(of first: UInt8) -> (count: Int, second: ClosedRange<UInt8>)? {
        switch first {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}
