public import FoundationEssentials

/// A number that can be summed up.
public protocol SummableValue: Storable {
    /// The sum of nothing.
    static var sumOfNothing: Self { get }

    /// The sum of two, or `nil` where there is no such value.
    static func sum(_ one: Self, _ other: Self) -> Self?

    /// As a number with a floating point, for averages.
    var asDouble: Double { get }
}

extension SummableValue where Self: StorableInteger {
    /// Zero.
    public static var sumOfNothing: Self { 0 }

    /// The sum, or `nil` where it is out of bounds.
    public static func sum(_ one: Self, _ other: Self) -> Self? {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? nil : sum
    }

    /// The nearest number with a floating point.
    public var asDouble: Double { Double(self) }
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
    public static var sumOfNothing: Double { 0 }

    /// The sum.
    public static func sum(_ one: Double, _ other: Double) -> Double? { one + other }

    /// Itself.
    public var asDouble: Double { self }
}

extension Decimal: SummableValue {
    /// Zero.
    public static var sumOfNothing: Decimal { 0 }

    /// The sum, or `nil` where it is no number.
    public static func sum(_ one: Decimal, _ other: Decimal) -> Decimal? {
        let sum = one + other
        return sum.isNaN ? nil : sum
    }

    /// The nearest number with a floating point.
    public var asDouble: Double { Double(description) ?? .nan }
}
