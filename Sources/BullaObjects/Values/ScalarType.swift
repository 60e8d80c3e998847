/// What a single value is, as rows, keys and indexes tell values apart.
///
/// The raw value stands in the schema of a store.
public enum ScalarType: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case boolean = 1
    /// A whole number from `Int64.min` to `UInt64.max`.
    case integer = 2
    /// A number of 64 bits with a floating point.
    case double = 3
    /// A moment: seconds since the first of January 2001 in UTC, as a `Double`.
    case date = 4
    /// Text, as its bytes in UTF-8.
    case string = 5
    /// Bytes.
    case data = 6
    /// A universally unique identifier.
    case uuid = 7
    /// A decimal number whose digits are a whole number of 128 bits: 38 of them, and some of 39.
    case decimal = 8

    /// Whether a value's bytes say where they end; those of texts do not.
    package var isDelimited: Bool { self != .string && self != .data }

    /// Whether one of the values is no number.
    package var hasNaN: Bool { self == .double || self == .date || self == .decimal }
}
