/// What a property holds, in a form that needs no model: for schemas that are read from a store.
public indirect enum ObjectValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// One value.
    case scalar(Scalar)
    /// The key of another object, part by part.
    case link([Scalar])
    /// Values in an order, or each once.
    case list([ObjectValue])
    /// Values, each under a string.
    case dictionary([String: ObjectValue])
    /// The properties of an embedded value, by their names.
    case embedded([String: ObjectValue])
    /// A value in JSON.
    case coded([UInt8])
    /// What a vault has sealed.
    case sealed([UInt8])
}

/// An object in a form that needs no model: its properties, by their names.
///
/// Written to a store, a property that is missing has what objects have that were stored before it
/// came: its first value, where it came with one, nil, nothing, or the zero of its type. A link, an
/// embedded value or a value in JSON that cannot be nil has to be there, and so has the key.
public struct ObjectFields: Sendable, Hashable {
    /// What each property holds.
    public var values: [String: ObjectValue]

    /// An object of these properties.
    public init(_ values: [String: ObjectValue] = [:]) { self.values = values }

    /// What a property holds; nil where it is missing.
    public subscript(name: String) -> ObjectValue {
        get { values[name] ?? .null }
        set { values[name] = newValue }
    }
}
