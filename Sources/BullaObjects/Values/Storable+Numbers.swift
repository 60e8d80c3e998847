/// A type of whole numbers, each of which is stored as the number that it is.
public protocol StorableInteger: Storable, FixedWidthInteger {}

extension StorableInteger {
    /// A whole number.
    public static var scalarType: ScalarType { .integer }

    /// The same number.
    public var scalar: Scalar { Int(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(self)) }

    /// The same number, where the type holds it.
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
    /// True or false.
    public static var scalarType: ScalarType { .boolean }

    /// The value itself.
    public var scalar: Scalar { .boolean(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .boolean(let value) = scalar else { return nil }
        self = value
    }
}

extension Double: Storable {
    /// A number with a floating point.
    public static var scalarType: ScalarType { .double }

    /// The value itself.
    public var scalar: Scalar { .double(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .double(let value) = scalar else { return nil }
        self = value
    }
}

/// As the `Double` that is the same number.
extension Float: Storable {
    /// A number with a floating point.
    public static var scalarType: ScalarType { .double }

    /// The same number.
    public var scalar: Scalar { .double(Double(self)) }

    /// The same number, where a `Float` can be it.
    public init?(scalar: Scalar) {
        guard case .double(let value) = scalar else { return nil }
        self.init(value)
        guard value.isNaN || Double(self) == value else { return nil }
    }
}
