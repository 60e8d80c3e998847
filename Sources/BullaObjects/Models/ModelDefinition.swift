/// A property as a model declares it.
public struct PropertyDefinition: Sendable {
    /// Its name.
    public let name: String
    /// The name that it had before, if it was renamed.
    public let formerName: String?
    /// The type of its values.
    public let type: PropertyType
    /// For a link: what happens to the object when the link's target is deleted.
    public let deleteRule: DeleteRule?
    /// For a sealed property: the name of the vault that seals it.
    public private(set) var vault: String?
    /// For a sealed property: how many of its former values are kept.
    public private(set) var history = 0
    /// The value for objects stored before the property was added; the closure runs once, when the
    /// store gets the property.
    package let initial: (@Sendable (_ObjectBindings) throws(ObjectError) -> [UInt8]?)?

    /// A property of a type.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: the type of its values.
    ///   - formerName: the name that it had before, if it was renamed.
    ///   - deleteRule: for a link: what happens to the object when the link's target is deleted.
    ///     The default is to nullify the link, or to deny the deletion if the link cannot be nil.
    public init<Value: PropertyValue>(
        _ name: String, _ type: Value.Type, formerName: String? = nil,
        deleteRule: DeleteRule? = nil
    ) {
        (self.name, self.formerName, self.deleteRule) = (name, formerName, deleteRule)
        (self.type, initial) = (Value.propertyType, nil)
    }

    /// A property of a type, with a value for objects that were stored before the property was
    /// added.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - initial: returns that value; called once, when the store gets the property.
    ///   - formerName: the name that it had before, if it was renamed.
    ///   - deleteRule: as for a property without an initial value.
    public init<Value: PropertyValue>(
        _ name: String, initial: @escaping @Sendable () -> Value, formerName: String? = nil,
        deleteRule: DeleteRule? = nil
    ) {
        (self.name, self.formerName, self.deleteRule) = (name, formerName, deleteRule)
        type = Value.propertyType
        self.initial = { bindings throws(ObjectError) in
            var bytes = ValueBytes(bindings)
            return try initial().write(to: &bytes) ? bytes.bytes : nil
        }
    }

    /// A property that a vault seals separately.
    ///
    /// It is empty in objects that were stored before it was added.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: the type of the sealed values.
    ///   - vault: the name of the vault that seals it.
    ///   - history: how many of its former values are kept.
    ///   - formerName: the name that it had before, if it was renamed.
    public init<Value: Sealable>(
        _ name: String, _ type: Sealed<Value>.Type, sealedIn vault: String, history: Int = 0,
        formerName: String? = nil
    ) {
        self.init(name, type, formerName: formerName)
        (self.vault, self.history) = (vault, max(history, 0))
    }

    /// A property whose type is known only when the program runs.
    ///
    /// - Parameter initial: the bytes of its value in objects that were stored before it was added.
    package init(
        _ name: String, _ type: PropertyType, formerName: String?, deleteRule: DeleteRule?,
        initial: (@Sendable (_ObjectBindings) throws(ObjectError) -> [UInt8]?)?
    ) {
        (self.name, self.formerName, self.deleteRule) = (name, formerName, deleteRule)
        (self.type, self.initial) = (type, initial)
    }

    /// The property that holds a model's sealed blob.
    fileprivate init(content: EmbeddedDefinition, in vault: String) {
        (name, formerName, deleteRule, initial) = (ModelDefinition.contentName, nil, nil, nil)
        type = PropertyType(PropertyType.Kind(.content { content }))
        self.vault = vault
    }
}

/// An index as a model declares it.
public struct IndexDefinition: Sendable, Hashable {
    /// The ordinals of the properties by which it sorts, in order.
    public let properties: [Int]
    /// Whether no two objects may have the same values; an object is exempt if one of its values is
    /// nil.
    public let isUnique: Bool

    /// An index of the properties with these ordinals.
    public init(_ properties: Int..., isUnique: Bool = false) {
        self.init(properties, isUnique: isUnique)
    }

    package init(_ properties: [Int], isUnique: Bool) {
        (self.properties, self.isUnique) = (properties, isUnique)
    }
}

/// A model as a program declares it.
///
/// Here, each property is known by its ordinal, its place in the order of declaration. A store
/// gives each property a number of its own, which stays the same when other properties are added or
/// removed.
public struct ModelDefinition: Sendable {
    /// The name by which the store knows it.
    public let name: String
    /// The name that it had before, if it was renamed.
    public let formerName: String?
    /// Its properties, in the order of their declaration.
    public let properties: [PropertyDefinition]
    /// The ordinals of the properties that make up its key, in order.
    public let key: [Int]
    /// Its indexes, besides the one that each link has.
    public let indexes: [IndexDefinition]

    /// A model with these properties.
    ///
    /// - Parameters:
    ///   - name: the name by which the store knows it.
    ///   - formerName: the name that it had before, if it was renamed.
    ///   - properties: its properties, in the order of their declaration.
    ///   - key: the ordinals of the properties that make up its key.
    ///   - indexes: its indexes, besides those of links.
    public init(
        _ name: String, formerName: String? = nil, properties: [PropertyDefinition], key: [Int],
        indexes: [IndexDefinition] = []
    ) {
        (self.name, self.formerName, self.properties) = (name, formerName, properties)
        (self.key, self.indexes) = (key, indexes)
    }

    /// A model whose objects are sealed, except for the visible properties.
    ///
    /// - Parameters:
    ///   - name: the name by which the store knows it.
    ///   - formerName: the name that it had before, if it was renamed.
    ///   - properties: the properties that stay visible, including those of the key, in the order
    ///     of their declaration.
    ///   - sealed: the properties that are sealed together, in the order of their declaration.
    ///   - vault: the name of the vault that seals them.
    ///   - key: the ordinals of the visible properties that make up its key.
    ///   - indexes: indexes of visible properties, besides those of links.
    public init(
        _ name: String, formerName: String? = nil, properties: [PropertyDefinition],
        sealed: [PropertyDefinition], in vault: String, key: [Int],
        indexes: [IndexDefinition] = []
    ) {
        let content = EmbeddedDefinition(Self.contentName(of: name), properties: sealed)
        self.init(
            name, formerName: formerName,
            properties: properties + [PropertyDefinition(content: content, in: vault)], key: key,
            indexes: indexes)
    }

    /// The schema's name for a model's sealed blob; no property of a program can have that name.
    package static let contentName = "(sealed)"

    /// The schema's name for the type of a model's sealed blob.
    package static func contentName(of model: String) -> String { "\(model) \(contentName)" }
}

/// A type that is stored inside objects, as a program declares it.
public struct EmbeddedDefinition: Sendable {
    /// The name by which the store knows it.
    public let name: String
    /// Its properties, in the order of their declaration.
    public let properties: [PropertyDefinition]

    /// A type with these properties.
    public init(_ name: String, properties: [PropertyDefinition]) {
        (self.name, self.properties) = (name, properties)
    }
}

/// The type of a property, as a program declares it.
public struct PropertyType: Sendable {
    /// The kind of a value, or of each value if there are many.
    ///
    /// A later version may have more kinds. Two kinds are equal if a store treats the values of
    /// both alike.
    public struct Kind: Sendable {
        package enum Form: Sendable {
            case scalar(ScalarType)
            case link(String)
            case embedded(@Sendable () -> EmbeddedDefinition)
            case coded
            case sealed
            case secret
            /// The properties that a model seals together, in one blob.
            case content(@Sendable () -> EmbeddedDefinition)
        }

        package let form: Form

        package init(_ form: Form) { self.form = form }

        /// A value of a type that is allowed in keys and indexes.
        public static func scalar(_ type: ScalarType) -> Kind { Kind(.scalar(type)) }

        /// The key of an object of the model with this name.
        public static func link(_ model: String) -> Kind { Kind(.link(model)) }

        /// A value with properties of its own; a closure returns them, because a type may contain
        /// itself.
        public static func embedded(
            _ definition: @escaping @Sendable () -> EmbeddedDefinition
        ) -> Kind { Kind(.embedded(definition)) }

        /// A value in JSON.
        public static let coded = Kind(.coded)
        /// An encoded value that a vault has sealed separately.
        public static let sealed = Kind(.sealed)
        /// Bytes that a vault has sealed separately.
        public static let secret = Kind(.secret)
    }

    /// The kind of the property's values.
    public let kind: Kind
    /// How many values the property has.
    public let multiplicity: Multiplicity

    /// A type of values of one kind.
    public init(_ kind: Kind, _ multiplicity: Multiplicity = .one) {
        (self.kind, self.multiplicity) = (kind, multiplicity)
    }
}
