/// Decodes the percent-encoding of addresses (RFC 3986, section 2.1).
enum PercentCoding {
    private static let sign = UInt8(ascii: "%")

    /// Decodes a part of an address; `nil` if an escape is incomplete, or the result is not text.
    ///
    /// A plus sign stays a plus sign: tokens contain plus signs, and some clients do not escape
    /// them.
    static func decoded(_ part: Substring) -> String? {
        guard part.utf8.contains(sign) else { return String(part) }
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == sign else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ JSONEscape.digit($0) }),
                let low = rest.popFirst().flatMap({ JSONEscape.digit($0) })
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
