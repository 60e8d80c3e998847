/// Bytes as base64 text.
///
/// - Source: RFC 4648, section 4.
enum Base64 {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
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
