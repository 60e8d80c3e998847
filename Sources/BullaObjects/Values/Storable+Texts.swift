internal import BullaMemory
public import FoundationEssentials

extension String: Storable {
    /// Text.
    public static var scalarType: ScalarType { .string }

    /// The value itself.
    public var scalar: Scalar { .string(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .string(let value) = scalar else { return nil }
        self = value
    }
}

extension Data: Storable {
    /// Bytes.
    public static var scalarType: ScalarType { .data }

    /// The value itself.
    public var scalar: Scalar { .data(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .data(let value) = scalar else { return nil }
        self = value
    }
}

extension UUID: Storable {
    /// A universally unique identifier.
    public static var scalarType: ScalarType { .uuid }

    /// The value itself.
    public var scalar: Scalar { .uuid(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .uuid(let value) = scalar else { return nil }
        self = value
    }
}

/// As the exact `Double` of seconds that it is.
extension Date: Storable {
    /// A moment.
    public static var scalarType: ScalarType { .date }

    /// The value itself.
    public var scalar: Scalar { .date(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .date(let value) = scalar else { return nil }
        self = value
    }
}

/// As the number that it is: how many zeros stood at its end is not kept.
extension Decimal: Storable {
    /// A decimal number.
    public static var scalarType: ScalarType { .decimal }

    /// The value itself.
    public var scalar: Scalar { .decimal(self) }

    /// The value itself.
    public init?(scalar: Scalar) {
        guard case .decimal(let value) = scalar else { return nil }
        self = value
    }
}
