/// Bytes as hexadecimal digits, in lower case, two for each byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that pairs of digits stand for; `nil` if the text is anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(digit: $0) }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            (digits[index] ?? 0) << 4 | (digits[index + 1] ?? 0)
        }
    }
}

extension UInt8 {
    /// The value of a digit in lower case.
    fileprivate init?(digit: UInt8) {
        switch digit {
        case 0x30...0x39: self = digit - 0x30
        case 0x61...0x66: self = digit - 0x61 + 10
        default: return nil
        }
    }
}
