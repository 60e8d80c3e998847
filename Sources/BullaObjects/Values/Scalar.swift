package import BullaMemory
public import FoundationEssentials

/// One value of a type that rows, keys and indexes can hold.
///
/// Equality and order, here and in every key, index and condition:
///
/// - strings are compared by their UTF-8 bytes: strings that look the same, but consist of
///   different Unicode scalars, are different;
/// - -0.0 equals 0.0; NaN is one value, and sorts after all numbers;
/// - decimals are equal if they are the same number: 1.0 and 1.00 are one value.
public enum Scalar: Sendable {
    /// True or false.
    case boolean(Bool)
    /// An integer that fits into an `Int`.
    case integer(Int)
    /// An integer too large for an `Int`; `.unsigned(7)` is allowed, and equals `.integer(7)`.
    case unsigned(UInt64)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// A point in time.
    case date(Date)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A universally unique identifier.
    case uuid(UUID)
    /// A decimal number.
    case decimal(Decimal)

    /// The type of the value.
    public var type: ScalarType {
        switch self {
        case .boolean: .boolean
        case .integer, .unsigned: .integer
        case .double: .double
        case .date: .date
        case .string: .string
        case .data: .data
        case .uuid: .uuid
        case .decimal: .decimal
        }
    }

    /// Whether the value is the NaN of a `Double`, `Date` or `Decimal`, which no key can contain.
    public var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }
}

/// The value's bytes, which sort as values of the type do, and are equal only for equal values.
extension Scalar {
    /// The value's bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    package func append(to bytes: inout [UInt8]) {
        switch self {
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): OrderedInteger(Int64(value)).append(to: &bytes)
        case .unsigned(let value): OrderedInteger(value).append(to: &bytes)
        case .double(let value): OrderedDouble(value).append(to: &bytes)
        case .date(let value):
            OrderedDouble(value.timeIntervalSinceReferenceDate).append(to: &bytes)
        case .string(let value): bytes.append(contentsOf: value.utf8)
        case .data(let value): bytes.append(contentsOf: value)
        case .uuid(let value): bytes.append(value)
        case .decimal(let value): OrderedDecimal(value).append(to: &bytes)
        }
    }

    /// Decodes a value of a type; `nil` if the bytes are not one.
    package init?(_ bytes: ByteView, _ type: ScalarType) {
        switch type {
        case .boolean:
            guard let value = Bool(ordered: bytes) else { return nil }
            self = .boolean(value)
        case .integer:
            guard let value = OrderedInteger(bytes) else { return nil }
            self = value.signed.map { .integer(Int($0)) } ?? .unsigned(value.magnitude)
        case .double:
            guard let value = OrderedDouble(bytes) else { return nil }
            self = .double(value.value)
        case .date:
            guard let value = OrderedDouble(bytes) else { return nil }
            self = .date(Date(timeIntervalSinceReferenceDate: value.value))
        case .string:
            guard let text = bytes.textIfValid else { return nil }
            self = .string(text)
        case .data: self = .data(Data(bytes.copied()))
        case .uuid:
            guard let value = UUID(bytes) else { return nil }
            self = .uuid(value)
        case .decimal:
            guard let value = OrderedDecimal(bytes)?.decimal else { return nil }
            self = .decimal(value)
        }
    }

    /// The value that a property of this type has if none was written.
    package static func zero(_ type: ScalarType) -> Scalar {
        switch type {
        case .boolean: .boolean(false)
        case .integer: .integer(0)
        case .double: .double(0)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .string: .string("")
        case .data: .data(Data())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .decimal: .decimal(0)
        }
    }
}

extension Scalar {
    /// The value's text in messages.
    package var text: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .double(let value): "\(value)"
        case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
        case .string(let value): "\"\(value)\""
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .decimal(let value): "\(value)"
        }
    }
}

extension Scalar: Hashable, Comparable {
    /// Whether both have the same type and the same bytes.
    public static func == (one: Scalar, other: Scalar) -> Bool {
        one.type == other.type && one.bytes == other.bytes
    }

    /// Whether one sorts before the other: first by type, in the order of the types' raw values.
    public static func < (one: Scalar, other: Scalar) -> Bool {
        guard one.type == other.type else { return one.type.rawValue < other.type.rawValue }
        return one.bytes.withView { one in other.bytes.withView { one.compare($0) < 0 } }
    }

    /// Hashes the type and the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(bytes)
    }
}
