extension JSONReader {
    /// Reads a string after its opening quote, including the closing one.
    mutating func readString() throws(JSONFault) {
        let start = offset
        var isEscaped = false
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == .quote {
                try append(.string, from: start, extent: offset, isIntricate: isEscaped)
                offset += 1
                return
            }
            if byte == .backslash {
                isEscaped = true
                try skipEscape()
            } else if byte >= 0x80 {
                offset = try UTF8Text.end(ofScalarAt: offset, in: bytes)
            } else if byte >= 0x20 {
                offset += 1
            } else {
                throw fault("a character of a string or its closing quote")
            }
        }
        throw fault("a character of a string or its closing quote")
    }

    private mutating func skipEscape() throws(JSONFault) {
        let start = offset
        offset += 1
        guard offset < bytes.count else { throw fault("an escaped character") }
        guard bytes[offset] == UInt8(ascii: "u") else {
            guard JSONEscape.byte(bytes[offset]) != nil else {
                throw fault("an escaped character")
            }
            offset += 1
            return
        }
        offset += 1
        let first = try readUnit()
        if JSONEscape.isHighSurrogate(first) {
            guard take(.backslash), take(UInt8(ascii: "u")) else {
                throw fault("the second half of a surrogate pair")
            }
            let place = offset - 2
            guard JSONEscape.isLowSurrogate(try readUnit()) else {
                throw JSONFault(
                    offset: place, expected: "the second half of a surrogate pair",
                    found: "another character")
            }
        } else if JSONEscape.isLowSurrogate(first) {
            throw JSONFault(
                offset: start, expected: "a character", found: "the second half of a pair alone")
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func readUnit() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = JSONEscape.digit(bytes[offset]) else {
                throw fault("a hexadecimal digit")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}
