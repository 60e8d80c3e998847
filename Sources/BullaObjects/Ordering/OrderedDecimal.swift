package import BullaMemory
package import FoundationEssentials

/// A decimal number as bytes that sort as numbers do.
///
/// | Byte count | Contents, for a positive number |
/// |---|---|
/// | 1 | the sign: 3 |
/// | 2 | the exponent of 0.digits, plus 256, the higher byte first |
/// | n | a pair of digits in each byte, as a number plus 1; the highest pair first |
/// | 1 | the end: 0 |
///
/// Zero is the single byte 2, and NaN the single byte 4. A negative number begins with the byte 1,
/// and has each bit of the rest inverted. Neither the first nor the last digit is zero, except a
/// zero that fills up the last pair.
package struct OrderedDecimal: Hashable {
    package enum Sign: UInt8 {
        case negative = 1
        case zero = 2
        case positive = 3
        case notANumber = 4
    }

    package let sign: Sign
    /// The exponent: the number is 0.digits times ten to this power.
    package let exponent: Int
    /// The digits, from 0 to 9, the highest first; empty for zero and NaN.
    package let digits: [UInt8]

    /// The maximum number of digits that a `Decimal` can have: together they form an integer of 128
    /// bits.
    package static let digitLimit = 39
    /// The powers of ten by which a `Decimal` can multiply the integer that its digits form.
    package static let powers = -128...127
    /// The exponents of the numbers that a `Decimal` can hold.
    package static let exponents = powers.lowerBound + 1...powers.upperBound + digitLimit

    /// - Parameters:
    ///   - isNegative: whether the number is less than zero.
    ///   - digits: from 0 to 9; zeros at either end are removed.
    ///   - power: the number is the integer that the digits form, times ten to this power.
    package init(isNegative: Bool, digits: some BidirectionalCollection<UInt8>, power: Int) {
        let tail = digits.reversed().prefix { $0 == 0 }.count
        let head = digits.prefix { $0 == 0 }.count
        guard head < digits.count else {
            self.init(sign: .zero)
            return
        }
        self.init(
            sign: isNegative ? .negative : .positive, exponent: power + digits.count - head,
            digits: Array(digits.dropFirst(head).dropLast(tail)))
    }

    private init(sign: Sign, exponent: Int = 0, digits: [UInt8] = []) {
        (self.sign, self.exponent, self.digits) = (sign, exponent, digits)
    }

    package static let notANumber = OrderedDecimal(sign: .notANumber)

    /// Decodes a number; `nil` if the bytes are not one.
    package init?(_ bytes: ByteView) {
        guard let sign = Sign(rawValue: bytes.load(UInt8.self, at: 0)),
            Self.byteCount(bytes) == bytes.byteCount
        else { return nil }
        guard sign == .negative || sign == .positive else {
            self.init(sign: sign)
            return
        }
        let turned: UInt8 = sign == .negative ? 0xFF : 0
        let places = bytes.load(UInt16.self, at: 1).byteSwapped
        let exponent = Int(sign == .negative ? ~places : places) - 256
        var digits: [UInt8] = []
        for offset in 3..<max(bytes.byteCount - 1, 3) {
            let pair = bytes.load(UInt8.self, at: offset) ^ turned
            guard 1...100 ~= pair else { return nil }
            digits += [(pair - 1) / 10, (pair - 1) % 10]
        }
        if digits.last == 0 { digits.removeLast() }
        guard 1...Self.digitLimit ~= digits.count, digits.first != 0, digits.last != 0,
            Self.exponents ~= exponent
        else { return nil }
        self.init(sign: sign, exponent: exponent, digits: digits)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(sign.rawValue)
        guard sign == .negative || sign == .positive else { return }
        let turned: UInt8 = sign == .negative ? 0xFF : 0
        let places = UInt16(clamping: exponent + 256)
        bytes.append(UInt8(places >> 8) ^ turned)
        bytes.append(UInt8(truncatingIfNeeded: places) ^ turned)
        for index in stride(from: 0, to: digits.count, by: 2) {
            let low = index + 1 < digits.count ? digits[index + 1] : 0
            bytes.append((digits[index] * 10 + low + 1) ^ turned)
        }
        bytes.append(turned)
    }

    /// The byte count of the number at the beginning of `bytes`, or `nil` if there is none.
    package static func byteCount(_ bytes: ByteView) -> Int? {
        guard let sign = Sign(rawValue: bytes.load(UInt8.self, at: 0)), bytes.byteCount > 0 else {
            return nil
        }
        guard sign == .negative || sign == .positive else { return 1 }
        let end: UInt8 = sign == .negative ? 0xFF : 0
        let limit = min(bytes.byteCount, 4 + (digitLimit + 1) / 2)
        for offset in 3..<max(limit, 3) where bytes.load(UInt8.self, at: offset) == end {
            return offset + 1
        }
        return nil
    }
}

extension OrderedDecimal {
    package init(_ value: Decimal) {
        guard !value.isNaN else {
            self = .notANumber
            return
        }
        let digits = value.significand.description.utf8.map { $0 &- UInt8(ascii: "0") }
        self.init(isNegative: value.sign == .minus, digits: digits, power: value.exponent)
    }

    /// The number, or `nil` if a `Decimal` cannot represent it.
    package var decimal: Decimal? {
        guard sign == .negative || sign == .positive else { return sign == .zero ? 0 : .nan }
        var (digits, power) = (digits, exponent - digits.count)
        // If the power is too large, append zeros to the digits to make it smaller.
        while power > Self.powers.upperBound, digits.count < Self.digitLimit {
            digits.append(0)
            power -= 1
        }
        guard Self.powers ~= power else { return nil }
        let whole = digits.reduce(Decimal(0)) { $0 * 10 + Decimal(Int($1)) }
        let number = Decimal(
            sign: sign == .negative ? .minus : .plus, exponent: power, significand: whole)
        // Not every number with that many digits fits into 128 bits.
        return OrderedDecimal(number) == self ? number : nil
    }
}
