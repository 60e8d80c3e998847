/// Bytes as text.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The bytes of a text of pairs of digits; `nil` where it is none.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(digit: $0) }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            (digits[index] ?? 0) << 4 | (digits[index + 1] ?? 0)
        }
    }
}

extension UInt8 {
    /// The value of a digit, in small letters.
    fileprivate init?(digit: UInt8) {
        switch digit {
        case 0x30...0x39: self = digit - 0x30
        case 0x61...0x66: self = digit - 0x61 + 10
        default: return nil
        }
    }
}
