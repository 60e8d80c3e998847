/// A property as a model declares it.
public struct PropertyDefinition: Sendable {
    /// Its name.
    public let name: String
    /// The name that it had before, where it was renamed.
    public let formerName: String?
    /// What it holds.
    public let type: PropertyType
    /// Of a link: what becomes of the object when what it refers to is deleted.
    public let deleteRule: DeleteRule?
    /// Of what is sealed: the name of the vault that seals it.
    public private(set) var vault: String?
    /// Of what is sealed: how many of its former values are kept.
    public private(set) var history = 0
    /// What objects have that were stored before the property came: evaluated once, then.
    package let initial: (@Sendable (ObjectBindings) throws(ObjectError) -> [UInt8]?)?

    /// A property of a type.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: what it holds.
    ///   - formerName: the name that it had before, where it was renamed.
    ///   - deleteRule: of a link: what becomes of the object when what it refers to is deleted;
    ///     where none is given, it refers to nothing then, or denies that where it cannot be nil.
    public init<Value: PropertyValue>(
        _ name: String, _ type: Value.Type, formerName: String? = nil,
        deleteRule: DeleteRule? = nil
    ) {
        (self.name, self.formerName, self.deleteRule) = (name, formerName, deleteRule)
        (self.type, initial) = (Value.propertyType, nil)
    }

    /// A property of a type, with a value for objects that were stored before it came.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - initial: evaluated once, when the store gets the property.
    ///   - formerName: the name that it had before, where it was renamed.
    ///   - deleteRule: as of a property without such a value.
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

    /// A property that a vault seals by itself.
    ///
    /// Objects that were stored before it came have nothing there.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: what is sealed.
    ///   - vault: the name of the vault that seals it.
    ///   - history: how many of its former values are kept.
    ///   - formerName: the name that it had before, where it was renamed.
    public init<Value: Sealable>(
        _ name: String, _ type: Sealed<Value>.Type, sealedIn vault: String, history: Int = 0,
        formerName: String? = nil
    ) {
        self.init(name, type, formerName: formerName)
        (self.vault, self.history) = (vault, max(history, 0))
    }

    /// A property of a type that is known only when the program runs.
    ///
    /// - Parameter initial: the bytes that objects have there which were stored before it came.
    package init(
        _ name: String, _ type: PropertyType, formerName: String?, deleteRule: DeleteRule?,
        initial: (@Sendable (ObjectBindings) throws(ObjectError) -> [UInt8]?)?
    ) {
        (self.name, self.formerName, self.deleteRule) = (name, formerName, deleteRule)
        (self.type, self.initial) = (type, initial)
    }

    /// What a model has in one sealed blob.
    fileprivate init(content: EmbeddedDefinition, in vault: String) {
        (name, formerName, deleteRule, initial) = (ModelDefinition.contentName, nil, nil, nil)
        type = PropertyType(.content { content })
        self.vault = vault
    }
}

/// An index as a model declares it.
public struct IndexDefinition: Sendable, Hashable {
    /// The ordinals of the properties that it sorts by, in order.
    public let properties: [Int]
    /// Whether no two objects have the same values there; nil is no value.
    public let isUnique: Bool

    /// An index of the properties that have these ordinals.
    public init(_ properties: Int..., isUnique: Bool = false) {
        self.init(properties, isUnique: isUnique)
    }

    package init(_ properties: [Int], isUnique: Bool) {
        (self.properties, self.isUnique) = (properties, isUnique)
    }
}

/// A model as a program declares it.
///
/// Properties are known by their ordinals here, in the order of their declaration. A store gives
/// each a number of its own, which stays when others come and go.
public struct ModelDefinition: Sendable {
    /// The name that the store knows it by.
    public let name: String
    /// The name that it had before, where it was renamed.
    public let formerName: String?
    /// Its properties, in the order of their declaration.
    public let properties: [PropertyDefinition]
    /// The ordinals of the properties that are its key, in order.
    public let key: [Int]
    /// Its indexes; each link has one besides.
    public let indexes: [IndexDefinition]

    /// A model of these properties.
    ///
    /// - Parameters:
    ///   - name: the name that the store knows it by.
    ///   - formerName: the name that it had before, where it was renamed.
    ///   - properties: in the order of their declaration.
    ///   - key: the ordinals of those that are its key.
    ///   - indexes: beside those that links have.
    public init(
        _ name: String, formerName: String? = nil, properties: [PropertyDefinition], key: [Int],
        indexes: [IndexDefinition] = []
    ) {
        (self.name, self.formerName, self.properties) = (name, formerName, properties)
        (self.key, self.indexes) = (key, indexes)
    }

    /// A model of which all but these properties is sealed, object by object.
    ///
    /// - Parameters:
    ///   - name: the name that the store knows it by.
    ///   - formerName: the name that it had before, where it was renamed.
    ///   - properties: those that stay visible, the key among them, in the order of their
    ///     declaration.
    ///   - sealed: those that are sealed together, in the order of their declaration.
    ///   - vault: the name of the vault that seals them.
    ///   - key: the ordinals of the visible ones that are its key.
    ///   - indexes: of visible ones, beside those that links have.
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

    /// What a schema calls the blob of what a model has sealed; no property of a program can have
    /// that name.
    package static let contentName = "(sealed)"

    /// What a schema calls the type of what a model has sealed.
    package static func contentName(of model: String) -> String { "\(model) \(contentName)" }
}

/// A type that is stored inside of objects, as a program declares it.
public struct EmbeddedDefinition: Sendable {
    /// The name that the store knows it by.
    public let name: String
    /// Its properties, in the order of their declaration.
    public let properties: [PropertyDefinition]

    /// A type of these properties.
    public init(_ name: String, properties: [PropertyDefinition]) {
        (self.name, self.properties) = (name, properties)
    }
}

/// What a property holds, as a program declares it.
public struct PropertyType: Sendable {
    /// What a value is, or each of them where there are many.
    public enum Kind: Sendable {
        /// One of the types that keys and indexes can have.
        case scalar(ScalarType)
        /// The key of an object of the model that has this name.
        case link(String)
        /// Properties of its own; asked for when they are needed, since a type may hold itself.
        case embedded(@Sendable () -> EmbeddedDefinition)
        /// A value in JSON.
        case coded
        /// A value that a vault has sealed by itself, encoded.
        case sealed
        /// Bytes that a vault has sealed by themselves.
        case secret
        /// All that a model has sealed: properties of their own, in one blob.
        case content(@Sendable () -> EmbeddedDefinition)
    }

    /// What a value is.
    public let kind: Kind
    /// How many there are.
    public let multiplicity: Multiplicity

    /// A type of values of one kind.
    public init(_ kind: Kind, _ multiplicity: Multiplicity = .one) {
        (self.kind, self.multiplicity) = (kind, multiplicity)
    }
}
