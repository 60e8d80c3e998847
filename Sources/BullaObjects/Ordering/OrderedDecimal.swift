package import BullaMemory
package import FoundationEssentials

/// A decimal number as bytes that sort as numbers do.
///
/// | Bytes | Of a positive number |
/// |---|---|
/// | 1 | 3 |
/// | 2 | the place of the point in 0.digits, plus 256, the higher byte first |
/// | n | two digits each, the higher ones first, plus 1 |
/// | 1 | 0 |
///
/// Zero is the byte 2 alone, and what is no number the byte 4. A negative number has the byte 1,
/// and each bit of the rest turned over. Neither the first nor the last of the digits is zero, but
/// for one that fills up the last pair.
package struct OrderedDecimal: Hashable {
    package enum Sign: UInt8 {
        case negative = 1
        case zero = 2
        case positive = 3
        case notANumber = 4
    }

    package let sign: Sign
    /// Where the point stands: the number is 0.digits times ten to this power.
    package let exponent: Int
    /// From 0 to 9, the highest first; none of zero, and of what is no number.
    package let digits: [UInt8]

    /// The digits of a `Decimal` are a whole number of 128 bits, which has so many at most.
    package static let digitLimit = 39
    /// Of a `Decimal`: its digits are a whole number, times ten to one of these powers.
    package static let powers = -128...127
    /// Where the point of such a number can stand.
    package static let exponents = powers.lowerBound + 1...powers.upperBound + digitLimit

    /// - Parameters:
    ///   - isNegative: whether it lies below zero.
    ///   - digits: from 0 to 9; zeros at either end are taken away.
    ///   - power: the number is the digits, as a whole number, times ten to this power.
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

    /// The number that bytes stand for, or `nil` where they are not one's.
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

    /// How many bytes the number has that these begin with, or `nil` where none does.
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

    /// The number, or `nil` where a `Decimal` cannot be it.
    package var decimal: Decimal? {
        guard sign == .negative || sign == .positive else { return sign == .zero ? 0 : .nan }
        var (digits, power) = (digits, exponent - digits.count)
        // A power of ten has bounds of its own: zeros at the end make it smaller.
        while power > Self.powers.upperBound, digits.count < Self.digitLimit {
            digits.append(0)
            power -= 1
        }
        guard Self.powers ~= power else { return nil }
        let whole = digits.reduce(Decimal(0)) { $0 * 10 + Decimal(Int($1)) }
        let number = Decimal(
            sign: sign == .negative ? .minus : .plus, exponent: power, significand: whole)
        // Not all numbers of so many digits have 128 bits.
        return OrderedDecimal(number) == self ? number : nil
    }
}
