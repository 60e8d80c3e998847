/// The value of a property, in a form that needs no model.
public indirect enum ObjectValue: Sendable, Hashable {
    /// No value.
    case null
    /// One value.
    case scalar(Scalar)
    /// The key of another object, as its parts.
    case link([Scalar])
    /// The elements of a list, in order; or those of a set, each once.
    case list([ObjectValue])
    /// Values, each with a string as its key.
    case dictionary([String: ObjectValue])
    /// The properties of an embedded value, by name.
    case embedded([String: ObjectValue])
    /// A value in JSON.
    case coded([UInt8])
    /// The bytes that a vault has sealed.
    case sealed([UInt8])
}

/// An object in a form that needs no model: its properties, by name.
///
/// If a property is missing when the object is written, it gets its initial value, as in objects
/// that were stored before the property was added. Without an initial value, it gets nil, an empty
/// collection, or the zero of its type. But the key must be given, and so must a link, an embedded
/// value or a JSON value that cannot be nil.
public struct ObjectFields: Sendable, Hashable {
    /// The values of the properties, by name.
    public var values: [String: ObjectValue]

    /// An object with these properties.
    public init(_ values: [String: ObjectValue] = [:]) { self.values = values }

    /// The value of a property; null if it is missing.
    public subscript(name: String) -> ObjectValue {
        get { values[name] ?? .null }
        set { values[name] = newValue }
    }
}
