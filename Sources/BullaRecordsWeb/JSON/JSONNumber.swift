/// Converts numbers from valid JSON text.
enum JSONNumber {
    /// The integer in a text; `nil` if the text has a fraction or an exponent, or does not fit in
    /// 64 bits.
    static func int64(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == .minus
        var number: Int64 = 0
        for digit in isNegative ? text.dropFirst() : text {
            guard digit.isDigit else { return nil }
            let (tens, isTooFar) = number.multipliedReportingOverflow(by: 10)
            let value = Int64(digit - .zero)
            let (next, isPast) =
                isNegative
                ? tens.subtractingReportingOverflow(value) : tens.addingReportingOverflow(value)
            guard !isTooFar, !isPast else { return nil }
            number = next
        }
        return number
    }

    /// The double nearest to the number in a text; `nil` if the number is too large.
    ///
    /// The product or quotient of two doubles is rounded to the nearest double. So if doubles can
    /// hold both the digits and the power of ten exactly, a single multiplication or division gives
    /// the result.
    ///
    /// - Source: William D. Clinger, How to Read Floating Point Numbers Accurately, 1990.
    static func double(_ text: ArraySlice<UInt8>) -> Double? {
        var digits: UInt64 = 0
        var digitCount = 0
        var exponent = 0
        var isFraction = false
        var place = text.startIndex
        let isNegative = text.first == .minus
        if isNegative { place += 1 }
        while place < text.endIndex, text[place].isDigit || text[place] == UInt8(ascii: ".") {
            if text[place] == UInt8(ascii: ".") {
                isFraction = true
            } else {
                // Leading zeros do not count.
                if digitCount > 0 || text[place] != .zero { digitCount += 1 }
                digits = digits &* 10 &+ UInt64(text[place] - .zero)
                if isFraction { exponent -= 1 }
            }
            place += 1
        }
        if place < text.endIndex {
            guard let written = int64(unsigned(text[(place + 1)...])), abs(written) < 10_000 else {
                return nearest(text)
            }
            exponent += Int(written)
        }
        guard digitCount <= 19, digits <= 1 << 53, abs(exponent) < powers.count else {
            return nearest(text)
        }
        let number = Double(digits)
        let scaled = exponent < 0 ? number / powers[-exponent] : number * powers[exponent]
        return isNegative ? -scaled : scaled
    }

    private static func unsigned(_ exponent: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        exponent.first == UInt8(ascii: "+") ? exponent.dropFirst() : exponent
    }

    /// Converts a text with the standard library, which also rounds to the nearest double.
    private static func nearest(_ text: ArraySlice<UInt8>) -> Double? {
        guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
            return nil
        }
        return number
    }

    /// The powers of ten that a double holds exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
