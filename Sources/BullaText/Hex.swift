/// Bytes and numbers in lower-case hexadecimal digits.
package enum Hex {
    package static let digits = Array("0123456789abcdef".utf8)

    /// Appends two digits for each byte.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }

    package static func string(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The 16 digits of a number, the highest first.
    package static func digits(of number: UInt64) -> [UInt8] {
        var text: [UInt8] = []
        append((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }, to: &text)
        return text
    }

    /// The bytes that a text gives as pairs of digits in either case; `nil` for any other text.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let digit = value(of: character) else { return nil }
            if let pending = high { bytes.append(pending << 4 | digit) }
            high = high == nil ? digit : nil
        }
        return bytes
    }

    /// The numbers that a text gives as groups of 16 digits; `nil` for any other text.
    package static func words(_ text: String) -> [UInt64]? {
        guard let bytes = bytes(text.utf8), bytes.count.isMultiple(of: 8) else { return nil }
        return stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The value of one digit, in either case.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
