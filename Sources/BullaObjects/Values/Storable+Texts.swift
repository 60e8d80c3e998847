internal import BullaMemory
public import FoundationEssentials

extension String: Storable {
    /// The scalar type of text.
    public static var scalarType: ScalarType { .string }

    /// The value itself.
    public var scalar: Scalar { .string(self) }

    /// The value of a text scalar.
    public init?(scalar: Scalar) {
        guard case .string(let value) = scalar else { return nil }
        self = value
    }
}

extension Data: Storable {
    /// The scalar type of data.
    public static var scalarType: ScalarType { .data }

    /// The value itself.
    public var scalar: Scalar { .data(self) }

    /// The value of a data scalar.
    public init?(scalar: Scalar) {
        guard case .data(let value) = scalar else { return nil }
        self = value
    }
}

extension UUID: Storable {
    /// The scalar type of identifiers.
    public static var scalarType: ScalarType { .uuid }

    /// The value itself.
    public var scalar: Scalar { .uuid(self) }

    /// The value of an identifier scalar.
    public init?(scalar: Scalar) {
        guard case .uuid(let value) = scalar else { return nil }
        self = value
    }
}

/// Values are stored as their exact `timeIntervalSinceReferenceDate`, a `Double`.
extension Date: Storable {
    /// The scalar type of dates.
    public static var scalarType: ScalarType { .date }

    /// The value itself.
    public var scalar: Scalar { .date(self) }

    /// The value of a date scalar.
    public init?(scalar: Scalar) {
        guard case .date(let value) = scalar else { return nil }
        self = value
    }
}

/// Values are stored as their numeric value, without trailing zeros.
extension Decimal: Storable {
    /// The scalar type of decimals.
    public static var scalarType: ScalarType { .decimal }

    /// The value itself.
    public var scalar: Scalar { .decimal(self) }

    /// The value of a decimal scalar.
    public init?(scalar: Scalar) {
        guard case .decimal(let value) = scalar else { return nil }
        self = value
    }
}
