/// An integer type, whose values are stored as integers.
public protocol StorableInteger: Storable, FixedWidthInteger {}

extension StorableInteger {
    /// The scalar type of integers.
    public static var scalarType: ScalarType { .integer }

    /// The same number.
    public var scalar: Scalar { Int(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(self)) }

    /// The same number, if it fits into the type.
    public init?(scalar: Scalar) {
        switch scalar {
        case .integer(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        default: return nil
        }
    }
}

extension Int: StorableInteger {}
extension Int8: StorableInteger {}
extension Int16: StorableInteger {}
extension Int32: StorableInteger {}
extension Int64: StorableInteger {}
extension UInt: StorableInteger {}
extension UInt8: StorableInteger {}
extension UInt16: StorableInteger {}
extension UInt32: StorableInteger {}
extension UInt64: StorableInteger {}

extension Bool: Storable {
    /// The scalar type of Booleans.
    public static var scalarType: ScalarType { .boolean }

    /// The value itself.
    public var scalar: Scalar { .boolean(self) }

    /// The value of a Boolean scalar.
    public init?(scalar: Scalar) {
        guard case .boolean(let value) = scalar else { return nil }
        self = value
    }
}

extension Double: Storable {
    /// The scalar type of floating-point numbers.
    public static var scalarType: ScalarType { .double }

    /// The value itself.
    public var scalar: Scalar { .double(self) }

    /// The value of a floating-point scalar.
    public init?(scalar: Scalar) {
        guard case .double(let value) = scalar else { return nil }
        self = value
    }
}

/// A `Float` is stored as the `Double` of the same value.
extension Float: Storable {
    /// The scalar type of floating-point numbers.
    public static var scalarType: ScalarType { .double }

    /// The same number.
    public var scalar: Scalar { .double(Double(self)) }

    /// The same number, if a `Float` can represent it.
    public init?(scalar: Scalar) {
        guard case .double(let value) = scalar else { return nil }
        self.init(value)
        guard value.isNaN || Double(self) == value else { return nil }
    }
}
