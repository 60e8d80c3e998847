/// A type whose values can be stored in properties, keys and indexes.
///
/// A store holds each value as a ``Scalar``. An enum with a storable raw value only has to declare
/// the conformance:
///
/// ```swift
/// enum Badge: Int, Storable { case plain, gold }
/// ```
///
/// A property for which nothing was written reads as the zero of its scalar type: false, 0, empty
/// text or data, the beginning of 2001, or the identifier that is all zeros.
public protocol Storable: SingleValue {
    /// The type of the stored scalar.
    static var scalarType: ScalarType { get }

    /// The scalar that is stored for this value.
    var scalar: Scalar { get }

    /// The value for which a scalar was stored; `nil` if there is none.
    ///
    /// If the result is `nil`, reading throws `unknownValue` and names the model and the property.
    init?(scalar: Scalar)
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    /// The scalar type of the raw values.
    public static var scalarType: ScalarType { RawValue.scalarType }

    /// The scalar that is stored for the raw value.
    public var scalar: Scalar { rawValue.scalar }

    /// The case with this raw value.
    public init?(scalar: Scalar) {
        guard let raw = RawValue(scalar: scalar) else { return nil }
        self.init(rawValue: raw)
    }
}

/// An enum to which a newer version of the program may add cases.
///
/// A raw value that this program does not know reads as ``unknown``; if the enum were only
/// ``Storable``, reading would throw. Writing the object back replaces the raw value with that of
/// ``unknown``.
public protocol OpenStorable: Storable, RawRepresentable {
    /// The case that stands for values that this program does not know.
    static var unknown: Self { get }
}

extension OpenStorable where RawValue: Storable {
    /// The case with this raw value, or ``unknown``.
    public init?(scalar: Scalar) {
        guard let raw = RawValue(scalar: scalar) else { return nil }
        self = Self(rawValue: raw) ?? Self.unknown
    }
}
