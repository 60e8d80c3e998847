/// Bytes as hexadecimal digits, two each, lower case.
enum Hexadecimal {
    static let digits = Array("0123456789abcdef".utf8)

    static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
    }

    /// The bytes that an even number of digits stands for, or `nil`.
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
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

    /// What one digit stands for, in either case.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
