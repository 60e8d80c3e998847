/// The escapes in strings.
enum JSONEscape {
    /// The byte for which a letter after a backslash stands; `nil` for `u` and for an invalid
    /// letter.
    static func byte(_ letter: UInt8) -> UInt8? {
        switch letter {
        case .quote, .backslash, UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "t"): 9
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "r"): 13
        default: nil
        }
    }

    /// The value of a hexadecimal digit.
    static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case .zero ... .nine: letter - .zero
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func isHighSurrogate(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xD800 }
    static func isLowSurrogate(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xDC00 }

    /// The contents of a string with its escapes replaced; the contents must be valid.
    static func resolved(_ contents: ArraySlice<UInt8>) -> [UInt8] {
        var resolved: [UInt8] = []
        resolved.reserveCapacity(contents.count)
        var place = contents.startIndex
        while place < contents.endIndex {
            guard contents[place] == .backslash else {
                resolved.append(contents[place])
                place += 1
                continue
            }
            if let byte = byte(contents[place + 1]) {
                resolved.append(byte)
                place += 2
                continue
            }
            var scalar = UInt32(unit(contents, at: place + 2))
            place += 6
            if isHighSurrogate(UInt16(scalar)) {
                let low = UInt32(unit(contents, at: place + 2))
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                place += 6
            }
            append(scalar, to: &resolved)
        }
        return resolved
    }

    private static func unit(_ contents: ArraySlice<UInt8>, at place: Int) -> UInt16 {
        (place..<place + 4).reduce(0) { $0 << 4 | UInt16(digit(contents[$1]) ?? 0) }
    }

    private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        guard let scalar = UnicodeScalar(scalar) else { return }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
