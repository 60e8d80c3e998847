internal import BullaMemory

/// A property as a store has it.
public struct PropertySchema: Sendable, Hashable, Codable {
    /// Its number, by which rows know it; never that of another property of the model.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// What its values are.
    public let kind: PropertyKind
    /// How many it has.
    public package(set) var multiplicity: Multiplicity
    /// Of a link: what becomes of the object when what it refers to is deleted.
    public package(set) var deleteRule: DeleteRule?
    /// What the property has in rows that were written before it was there: the bytes that a row
    /// would have, or `nil` for nil or zero.
    public package(set) var initial: [UInt8]?
    /// Of what is sealed: the name of the vault that seals it.
    public package(set) var vault: String?
    /// Of what is sealed: how many of its former values are kept.
    public package(set) var history: Int?
    /// Whether no program's model has it any more; its values stay until the schema is pruned.
    public package(set) var isRetired = false

    package init(
        number: Int, name: String, kind: PropertyKind, multiplicity: Multiplicity,
        deleteRule: DeleteRule? = nil
    ) {
        (self.number, self.name, self.kind) = (number, name, kind)
        (self.multiplicity, self.deleteRule) = (multiplicity, deleteRule)
    }
}

extension PropertySchema {
    /// The embedded type that lies in it sealed, where one does.
    package var contentType: Int? { if case .content(let type) = kind { type } else { nil } }

    package var isLink: Bool { if case .link = kind { true } else { false } }

    /// Whether it has elements, one by one.
    package var isMany: Bool { multiplicity == .list || multiplicity == .set }

    package var canHaveIndex: Bool {
        switch kind {
        case .scalar, .link: multiplicity != .dictionary
        case .embedded, .coded, .sealed, .secret, .content: false
        }
    }

    /// Of a link: what becomes of the object; one that cannot be nil stands in the way.
    package var ruleOfDeletion: DeleteRule {
        deleteRule ?? (multiplicity == .one ? .deny : .nullify)
    }
}

/// An index as a store has it.
public struct IndexSchema: Sendable, Hashable, Codable {
    /// The number of its tree.
    public let number: Int
    /// The numbers of the properties that it sorts by, in order.
    public let properties: [Int]
    /// Whether no two objects have the same values there.
    public let isUnique: Bool

    package init(number: Int, properties: [Int], isUnique: Bool) {
        (self.number, self.properties, self.isUnique) = (number, properties, isUnique)
    }
}

/// A model as a store has it.
public struct ModelSchema: Sendable, Hashable, Codable {
    /// The number of its tree.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// Its properties, in the order of their numbers.
    public package(set) var properties: [PropertySchema]
    /// The numbers of the properties that are its key, in order.
    public package(set) var key: [Int]
    /// Its indexes, those of links among them.
    public package(set) var indexes: [IndexSchema]
    /// The number of the tree that has former values of what is sealed, where any are kept.
    public package(set) var historyTree: Int?
    /// The forms in which programs have declared it, the newest last.
    public package(set) var forms: [SchemaForm] = []
    /// What the next property is numbered: no number is used again.
    package var nextProperty: Int

    package init(
        number: Int, name: String, properties: [PropertySchema], key: [Int],
        indexes: [IndexSchema]
    ) {
        (self.number, self.name, self.properties) = (number, name, properties)
        (self.key, self.indexes) = (key, indexes)
        nextProperty = (properties.map(\.number).max() ?? -1) + 1
    }

    /// The property of a number.
    public func property(_ number: Int) -> PropertySchema? {
        properties.first { $0.number == number }
    }

    /// What of it is sealed in one blob, where it is such a model.
    public var content: PropertySchema? {
        properties.first { !$0.isRetired && $0.contentType != nil }
    }

    /// The types of its key's parts.
    package var keyTypes: [ScalarType] {
        key.compactMap { number in
            if case .scalar(let type) = property(number)?.kind { type } else { nil }
        }
    }

    /// The property of a name, but for one that is retired.
    public func property(named name: String) -> PropertySchema? {
        properties.first { $0.name == name && !$0.isRetired }
    }
}

/// A type that is stored inside of objects, as a store has it.
public struct EmbeddedSchema: Sendable, Hashable, Codable {
    /// Its number, by which properties name it.
    public let number: Int
    /// Its name.
    public package(set) var name: String
    /// Its properties, in the order of their numbers.
    public package(set) var properties: [PropertySchema]
    /// The forms in which programs have declared it, the newest last.
    public package(set) var forms: [SchemaForm] = []
    /// What the next property is numbered: no number is used again.
    package var nextProperty: Int

    package init(number: Int, name: String, properties: [PropertySchema]) {
        (self.number, self.name, self.properties) = (number, name, properties)
        nextProperty = (properties.map(\.number).max() ?? -1) + 1
    }
}
