/// The percent-encoding of addresses (RFC 3986, section 2.1).
package enum PercentCoding {
    private static let sign = UInt8(ascii: "%")

    /// Encodes bytes so that they can be used in any part of an address, and in a form.
    ///
    /// The caller wipes the result if it is secret.
    package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        // Avoids reallocations, each of which would leave a copy behind.
        encoded.reserveCapacity(3 * bytes.count)
        for byte in bytes {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += [sign, digit(byte >> 4), digit(byte & 15)]
            }
        }
        return encoded
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || byte == .minus || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? .zero + value : UInt8(ascii: "A") + value - 10
    }

    /// Decodes a part of an address; `nil` if an escape is malformed, or the result is not text.
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
