internal import BullaMemory
internal import FoundationEssentials

/// A number as it is written: digits, perhaps a sign, a fraction and a power of ten.
///
/// What is written is taken exactly, or not at all: a type that would round it refuses it, but for
/// one with a floating point, which takes the nearest.
struct NumberText {
    private let isNegative: Bool
    /// From 0 to 9, with those behind the point.
    private let digits: [UInt8]
    private let fractionCount: Int
    private let power: Int?
    private let text: String

    /// More digits than any number has that a store can hold.
    private static let byteLimit = 1100

    /// - Returns: `nil` where the text is no number.
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

    /// As a whole number, where it is written as one.
    var integer: Scalar? {
        guard power == nil, fractionCount == 0 else { return nil }
        return Int(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
    }

    /// As the nearest number with a floating point, where there is one.
    var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// As a decimal number that is the same.
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
