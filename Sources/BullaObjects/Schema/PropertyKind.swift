/// What a value of a property is, or each of them where it has many.
public enum PropertyKind: Sendable, Hashable, Codable {
    /// One of the types that keys and indexes can have.
    case scalar(ScalarType)
    /// The key of an object of the model that has this number.
    case link(Int)
    /// Properties of its own, which the embedded type of this number names.
    case embedded(Int)
    /// A value in JSON, whatever it holds.
    case coded
    /// A value that a vault has sealed by itself, encoded.
    case sealed
    /// Bytes that a vault has sealed by themselves.
    case secret
    /// All that a model has sealed, in one blob: what the embedded type of this number has.
    case content(Int)
}

/// How many values a property has.
public enum Multiplicity: String, Sendable, Hashable, Codable {
    /// One.
    case one
    /// One or none.
    case optional
    /// Any number, in an order that is kept.
    case list
    /// Any number, each once.
    case set
    /// Any number, each under a string.
    case dictionary
}

extension Multiplicity {
    /// Whether what has so many values can be read as having that many.
    func canBe(_ other: Multiplicity) -> Bool {
        self == other || self == .one && other == .optional
    }
}

/// What becomes of those that refer to an object when it is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// They refer to nothing from then on.
    case nullify
    /// They are deleted, too.
    case cascade
    /// It is not deleted while there are any.
    case deny
}
