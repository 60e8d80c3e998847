/// Conversion between bytes and JSON strings.
///
/// - Source: RFC 8259, section 7.
package enum JSONText {
    /// Appends a quoted string made of UTF-8 bytes.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in bytes {
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0x7F {
                text.append(byte)
            } else {
                appendEscape(of: byte, to: &text)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\\"))
        if let letter = letter(for: byte) {
            text.append(letter)
        } else {
            text.append(contentsOf: "u00".utf8)
            Hex.append(CollectionOfOne(byte), to: &text)
        }
    }

    private static func letter(for byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: nil
        }
    }

    /// The byte that a letter after a backslash stands for; `nil` for `u`, and for any other
    /// letter.
    static func meaning(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        default: nil
        }
    }

    /// The bytes of an escaped string, which must be well-formed.
    ///
    /// - Returns: `nil` if it has an unpaired surrogate, which UTF-8 cannot express.
    static func bytes(_ escaped: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = escaped
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            bytes.append(contentsOf: rest[..<backslash])
            rest = rest[(backslash + 1)...]
            guard let letter = rest.popFirst() else { return nil }
            if let byte = meaning(ofEscape: letter) {
                bytes.append(byte)
            } else {
                guard let scalar = takeScalar(&rest) else { return nil }
                bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
        bytes.append(contentsOf: rest)
        return bytes
    }

    /// Takes the four digits after `\u`, and a second escape if they are the first half of a
    /// surrogate pair.
    private static func takeScalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = takeUnit(&rest) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
            let second = takeUnit(&rest), UTF16.isTrailSurrogate(second)
        else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
    }

    private static func takeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard rest.count >= 4 else { return nil }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(Hex.value) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
