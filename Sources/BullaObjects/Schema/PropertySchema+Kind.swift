extension PropertySchema {
    /// The kind of a property's value, or of each value if it has many.
    public enum Kind: Sendable, Hashable, Codable {
        /// A value of a type that keys and indexes can hold.
        case scalar(ScalarType)
        /// The key of an object of the model with this number.
        case link(Int)
        /// A value with properties of its own, which the embedded type with this number describes.
        case embedded(Int)
        /// A JSON value with any content.
        case coded
        /// An encoded value that a vault has sealed separately.
        case sealed
        /// Bytes that a vault has sealed separately.
        case secret
        /// What a model seals together in one blob: the properties of the embedded type with this
        /// number.
        case content(Int)
    }
}

/// How many values a property has.
public enum Multiplicity: String, Sendable, Hashable, Codable {
    /// One.
    case one
    /// One or none.
    case optional
    /// Any number, in a fixed order.
    case list
    /// Any number, each once.
    case set
    /// Any number, each with a string as its key.
    case dictionary
}

extension Multiplicity {
    /// Whether a value with this multiplicity can be read as a value with `other`.
    func canBe(_ other: Multiplicity) -> Bool {
        self == other || self == .one && other == .optional
    }
}

/// What happens to the objects that link to a deleted object.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// Their links become nil.
    case nullify
    /// They are deleted, too.
    case cascade
    /// The object cannot be deleted while any object links to it.
    case deny
}
