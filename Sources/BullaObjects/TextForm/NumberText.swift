internal import BullaMemory
internal import FoundationEssentials

/// A number as written: digits, and optionally a sign, a fraction and a power of ten.
///
/// It is read as an integer or a decimal number only if the result is exact. As a floating-point
/// number, it is read as the nearest value.
struct NumberText {
    private let isNegative: Bool
    /// The digits, as numbers from 0 to 9, including those after the point.
    private let digits: [UInt8]
    private let fractionCount: Int
    private let power: Int?
    private let text: String

    /// More bytes than the text of any number that a store can hold.
    private static let byteLimit = 1100

    /// - Returns: `nil` if the text is not a number.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard rest.count <= Self.byteLimit else { return nil }
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let whole = Self.takeDigits(&rest)
        guard !whole.isEmpty else { return nil }
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = Self.takeDigits(&rest)
            guard !fraction.isEmpty else { return nil }
        }
        var power: Int?
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            power = Self.power(rest.dropFirst())
            guard power != nil else { return nil }
            rest = []
        }
        guard rest.isEmpty else { return nil }
        (digits, fractionCount, self.power, self.text) =
            (whole + fraction, fraction.count, power, text)
    }

    private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let digits = rest.prefix { 0x30...0x39 ~= $0 }
        rest = rest[digits.endIndex...]
        return digits.map { $0 - UInt8(ascii: "0") }
    }

    private static func power(_ text: ArraySlice<UInt8>) -> Int? {
        let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let digits = isSigned ? text.dropFirst() : text
        guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let power = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return text.first == UInt8(ascii: "-") ? -power : power
    }

    /// The integer, if the text is written as one, and 64 bits can hold it.
    var integer: Scalar? {
        guard power == nil, fractionCount == 0 else { return nil }
        return Int(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
    }

    /// The nearest floating-point number, if there is one.
    var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The decimal number that equals it exactly, if there is one.
    var decimal: Scalar? {
        let number = OrderedDecimal(
            isNegative: isNegative, digits: digits, power: (power ?? 0) - fractionCount)
        guard
            number.sign == .zero
                || number.digits.count <= OrderedDecimal.digitLimit
                    && OrderedDecimal.exponents ~= number.exponent
        else { return nil }
        return number.decimal.map { .decimal($0) }
    }
}
