public import FoundationEssentials

/// A number type whose values can be added up: an integer type, `Double` or `Decimal`.
///
/// The requirements are public only because a public protocol cannot hide them: do not implement
/// or call them yourself.
public protocol SummableValue: Storable {
    /// The sum of no values.
    static var _sumOfNothing: Self { get }

    /// The sum of two values, or `nil` if the type cannot represent it.
    static func _sum(_ one: Self, _ other: Self) -> Self?

    /// The nearest floating-point number, for averages.
    var _asDouble: Double { get }
}

extension SummableValue where Self: StorableInteger {
    /// Zero.
    public static var _sumOfNothing: Self { 0 }

    /// The sum, or `nil` if it overflows.
    public static func _sum(_ one: Self, _ other: Self) -> Self? {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? nil : sum
    }

    /// The nearest floating-point number.
    public var _asDouble: Double { Double(self) }
}

extension Int: SummableValue {}
extension Int8: SummableValue {}
extension Int16: SummableValue {}
extension Int32: SummableValue {}
extension Int64: SummableValue {}
extension UInt: SummableValue {}
extension UInt8: SummableValue {}
extension UInt16: SummableValue {}
extension UInt32: SummableValue {}
extension UInt64: SummableValue {}

extension Double: SummableValue {
    /// Zero.
    public static var _sumOfNothing: Double { 0 }

    /// The sum.
    public static func _sum(_ one: Double, _ other: Double) -> Double? { one + other }

    /// The number itself.
    public var _asDouble: Double { self }
}

extension Decimal: SummableValue {
    /// Zero.
    public static var _sumOfNothing: Decimal { 0 }

    /// The sum, or `nil` if it is not a number.
    public static func _sum(_ one: Decimal, _ other: Decimal) -> Decimal? {
        let sum = one + other
        return sum.isNaN ? nil : sum
    }

    /// The nearest floating-point number.
    public var _asDouble: Double { Double(description) ?? .nan }
}
