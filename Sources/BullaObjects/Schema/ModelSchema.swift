internal import BullaMemory

/// A property, as a store describes it.
public struct PropertySchema: Sendable, Hashable, Codable {
    /// The number by which rows know it; unique in its model or embedded type, and never reused.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// The kind of its values.
    public let kind: Kind
    /// How many values it has.
    public package(set) var multiplicity: Multiplicity
    /// For a link: what happens to the object when the link's target is deleted.
    public package(set) var deleteRule: DeleteRule?
    /// The value for rows that were written before the property was added: its bytes as in a row,
    /// or `nil` for nil or zero.
    public package(set) var initial: [UInt8]?
    /// For a sealed property: the name of the vault that seals it.
    public package(set) var vault: String?
    /// For a sealed property: how many of its former values are kept.
    public package(set) var history: Int?
    /// Whether its model or embedded type no longer declares it; rows keep its values until the
    /// schema is pruned.
    public package(set) var isRetired = false

    package init(
        number: Int, name: String, kind: Kind, multiplicity: Multiplicity,
        deleteRule: DeleteRule? = nil
    ) {
        (self.number, self.name, self.kind) = (number, name, kind)
        (self.multiplicity, self.deleteRule) = (multiplicity, deleteRule)
    }
}

extension PropertySchema {
    /// The embedded type of the sealed blob that it holds, if it holds one.
    package var contentType: Int? { if case .content(let type) = kind { type } else { nil } }

    package var isLink: Bool { if case .link = kind { true } else { false } }

    /// Whether it is a list or a set.
    package var isMany: Bool { multiplicity == .list || multiplicity == .set }

    package var canHaveIndex: Bool {
        switch kind {
        case .scalar, .link: multiplicity != .dictionary
        case .embedded, .coded, .sealed, .secret, .content: false
        }
    }

    /// For a link: the rule that applies; by default, a link that cannot be nil denies the
    /// deletion, and any other link becomes nil.
    package var ruleOfDeletion: DeleteRule {
        deleteRule ?? (multiplicity == .one ? .deny : .nullify)
    }
}

/// An index, as a store describes it.
public struct IndexSchema: Sendable, Hashable, Codable {
    /// The number of its tree.
    public let number: Int
    /// The numbers of the properties by which it sorts, in order.
    public let properties: [Int]
    /// Whether no two objects may have the same values.
    public let isUnique: Bool

    package init(number: Int, properties: [Int], isUnique: Bool) {
        (self.number, self.properties, self.isUnique) = (number, properties, isUnique)
    }
}

/// A model, as a store describes it.
public struct ModelSchema: Sendable, Hashable, Codable {
    /// The number of its tree.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// Its properties, in the order of their numbers.
    public package(set) var properties: [PropertySchema]
    /// The numbers of the properties that make up its key, in order.
    public package(set) var key: [Int]
    /// Its indexes, including those of links.
    public package(set) var indexes: [IndexSchema]
    /// The number of the tree with former sealed values, if any are kept.
    public package(set) var historyTree: Int?
    /// The forms in which programs have declared it, the newest last.
    package var forms: [SchemaForm] = []
    /// The number of the next property: no number is reused.
    package var nextProperty: Int

    package init(
        number: Int, name: String, properties: [PropertySchema], key: [Int],
        indexes: [IndexSchema]
    ) {
        (self.number, self.name, self.properties) = (number, name, properties)
        (self.key, self.indexes) = (key, indexes)
        nextProperty = (properties.map(\.number).max() ?? -1) + 1
    }

    /// The property with a number.
    public func property(_ number: Int) -> PropertySchema? {
        properties.first { $0.number == number }
    }

    /// The property that holds the sealed blob, if the model is sealed.
    public var content: PropertySchema? {
        properties.first { !$0.isRetired && $0.contentType != nil }
    }

    /// The types of its key's parts.
    package var keyTypes: [ScalarType] {
        key.compactMap { number in
            if case .scalar(let type) = property(number)?.kind { type } else { nil }
        }
    }

    /// The property with a name, unless it is retired.
    public func property(named name: String) -> PropertySchema? {
        properties.first { $0.name == name && !$0.isRetired }
    }
}

/// A type that is stored inside objects, as a store describes it.
public struct EmbeddedSchema: Sendable, Hashable, Codable {
    /// The number by which properties refer to it.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// Its properties, in the order of their numbers.
    public package(set) var properties: [PropertySchema]
    /// The forms in which programs have declared it, the newest last.
    package var forms: [SchemaForm] = []
    /// The number of the next property: no number is reused.
    package var nextProperty: Int

    package init(number: Int, name: String, properties: [PropertySchema]) {
        (self.number, self.name, self.properties) = (number, name, properties)
        nextProperty = (properties.map(\.number).max() ?? -1) + 1
    }
}
