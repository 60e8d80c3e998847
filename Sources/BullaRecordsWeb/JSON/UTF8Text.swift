/// Validates UTF-8 by table 3-7 of the Unicode Standard, which lists the well-formed byte
/// sequences.
enum UTF8Text {
    /// The end of the scalar that begins at `offset` with a byte beyond ASCII.
    static func end(ofScalarAt offset: Int, in bytes: [UInt8]) throws(JSONFault) -> Int {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[offset] {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw JSONFault(offset: offset, expected: "UTF-8", found: "another byte")
        }
        for place in offset + 1..<offset + count {
            guard place < bytes.count,
                (place == offset + 1 ? second : 0x80...0xBF).contains(bytes[place])
            else {
                throw JSONFault(
                    offset: place, expected: "a byte that continues a character",
                    found: JSONFault.name(of: place < bytes.count ? bytes[place] : nil))
            }
        }
        return offset + count
    }
}
