/// A type whose values a property, a key or an index can have.
///
/// What is stored is a ``Scalar``. An enum with a raw value that can be stored has to say no more
/// than that it conforms:
///
/// ```swift
/// enum Badge: Int, Storable { case plain, gold }
/// ```
///
/// A property that nothing was written for reads as the zero of its scalar: false, 0, no text, the
/// first moment of 2001, the identifier of zeros.
public protocol Storable: SingleValue {
    /// The type of what is stored.
    static var scalarType: ScalarType { get }

    /// What is stored in place of this value.
    var scalar: Scalar { get }

    /// The value in whose place a scalar was stored, or `nil` where none is.
    ///
    /// Where it is `nil`, reading throws `unknownValue`, with the names of model and property.
    init?(scalar: Scalar)
}

extension Storable where Self: RawRepresentable, RawValue: Storable {
    /// That of the raw values.
    public static var scalarType: ScalarType { RawValue.scalarType }

    /// What is stored in place of its raw value.
    public var scalar: Scalar { rawValue.scalar }

    /// The case that has this raw value.
    public init?(scalar: Scalar) {
        guard let raw = RawValue(scalar: scalar) else { return nil }
        self.init(rawValue: raw)
    }
}

/// An enum of which a later program may know more cases.
///
/// A raw value that this program does not know reads as ``unknown``; otherwise reading it throws.
/// Writing such an object back writes the unknown case.
public protocol OpenStorable: Storable, RawRepresentable {
    /// What a value reads as that this program does not know.
    static var unknown: Self { get }
}

extension OpenStorable where RawValue: Storable {
    /// The case that has this raw value, or ``unknown``.
    public init?(scalar: Scalar) {
        guard let raw = RawValue(scalar: scalar) else { return nil }
        self = Self(rawValue: raw) ?? Self.unknown
    }
}
