extension JSONReader {
    mutating func readNumber() throws(JSONFault) {
        let start = offset
        _ = take(.minus)
        // No digit may follow a leading zero.
        if !take(.zero) { try skipDigits() }
        let integerEnd = offset
        if take(UInt8(ascii: ".")) { try skipDigits() }
        var hasExponent = false
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            hasExponent = true
            if !take(UInt8(ascii: "+")) { _ = take(.minus) }
            try skipDigits()
        }
        guard offset - start <= limits.numberByteLimit else {
            throw JSONFault(
                offset: start, expected: "a number of at most \(limits.numberByteLimit) characters",
                found: "\(offset - start)")
        }
        // Without an exponent, a number with at most 308 digits before the decimal point is less
        // than the greatest double.
        if hasExponent || integerEnd - start > 308,
            JSONNumber.double(bytes[start..<offset]) == nil
        {
            throw JSONFault(
                offset: start, expected: "a number that a double can hold", found: "a greater one")
        }
        try append(.number, from: start, extent: offset, isIntricate: offset > integerEnd)
    }

    /// Skips at least one digit.
    private mutating func skipDigits() throws(JSONFault) {
        guard offset < bytes.count, bytes[offset].isDigit else { throw fault("a digit") }
        while offset < bytes.count, bytes[offset].isDigit { offset += 1 }
    }
}
