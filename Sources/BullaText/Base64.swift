/// Bytes as base64 text.
///
/// - Source: RFC 4648, section 4.
package enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes that a text with its padding stands for, or `nil`.
    package static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        var bits = 0
        for (index, digit) in text.dropLast(padding).enumerated() {
            guard let value = digits.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            // A digit brings 6 bits; whatever makes 8 of them is a byte.
            let left = (index + 1) * 6 % 8
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> left)) }
        }
        // What is left of the last digit says nothing, and is zero.
        return bits & (1 << (padding * 2) - 1) == 0 ? bytes : nil
    }

    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            append(bytes[start..<min(start + 3, bytes.count)], to: &text)
        }
    }

    private static func append(_ group: ArraySlice<UInt8>, to text: inout [UInt8]) {
        let padded = Array(group) + Array(repeating: 0, count: 3 - group.count)
        let bits = padded.reduce(0) { $0 << 8 | Int($1) }
        for index in 0...3 {
            let digit = digits[bits >> (18 - 6 * index) & 63]
            text.append(index <= group.count ? digit : UInt8(ascii: "="))
        }
    }
}
