/// The type of a single value in rows, keys and indexes.
///
/// A store's schema contains the raw value.
public enum ScalarType: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// True or false.
    case boolean = 1
    /// An integer from `Int64.min` to `UInt64.max`.
    case integer = 2
    /// A floating-point number of 64 bits.
    case double = 3
    /// A point in time: seconds since 1 January 2001 in UTC, as a `Double`.
    case date = 4
    /// Text, as UTF-8 bytes.
    case string = 5
    /// Bytes.
    case data = 6
    /// A universally unique identifier.
    case uuid = 7
    /// A decimal number whose digits form an integer of 128 bits: up to 38 digits, and some of 39.
    case decimal = 8

    /// Whether a value's bytes show where they end; those of texts and data do not.
    package var isDelimited: Bool { self != .string && self != .data }

    /// Whether the type has a NaN.
    package var hasNaN: Bool { self == .double || self == .date || self == .decimal }
}
