/// A store's own description of its objects, with which other programs can open, list and export
/// them.
public struct DatabaseSchema: Sendable, Hashable, Codable {
    /// The version of this description's format.
    public private(set) var version = Self.currentVersion
    /// Increases with each change of the schema, so that a program knows when to read the schema
    /// again.
    public package(set) var generation = 0
    /// The models, in the order of their numbers.
    public package(set) var models: [ModelSchema] = []
    /// The types that are stored inside objects, in the order of their numbers.
    public package(set) var embedded: [EmbeddedSchema] = []
    /// The names of the migrations that were run, or were not needed because the store was new.
    public package(set) var migrations: [String] = []
    /// The maximum number of bytes that a key can have; from this limit, indexes derive the length
    /// at which they truncate texts.
    ///
    /// It is the limit of the store in which the schema was made; 0 if no schema has been made yet.
    package var keyByteLimit = 0
    /// The number of the next tree or embedded type.
    package var nextNumber = 1

    package static let currentVersion = 1
    /// The limit of ``nextNumber``: more numbers than any program uses up.
    package static let numberLimit = 100_000
    /// The maximum number of properties by which an index can sort.
    package static let partLimit = 16

    package init() {}

    /// The model with a number.
    public func model(_ number: Int) -> ModelSchema? { models.first { $0.number == number } }

    /// The model with a name.
    public func model(named name: String) -> ModelSchema? { models.first { $0.name == name } }

    /// The embedded type with a number.
    public func embedded(_ number: Int) -> EmbeddedSchema? {
        embedded.first { $0.number == number }
    }

    package func embedded(named name: String) -> EmbeddedSchema? {
        embedded.first { $0.name == name }
    }

    /// How many former values of each sealed property of a model are kept.
    func historyLimits(of model: ModelSchema) -> [UInt32: Int] {
        let content = model.content?.contentType.flatMap { embedded($0) }?.properties ?? []
        var limits: [UInt32: Int] = [:]
        for (properties, isContent) in [(model.properties, false), (content, true)] {
            for property in properties {
                guard let limit = property.history else { continue }
                limits[SealedSpot.property(property.number, isContent: isContent)] = limit
            }
        }
        return limits
    }

    package mutating func takeNumber() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }
}

/// Checks of a schema, whichever program wrote it.
extension DatabaseSchema {
    /// - Throws: `damaged`; the message states the contradiction.
    package func check() throws(ObjectError) {
        try require(version == Self.currentVersion, "its format version is \(version)")
        try require((0..<1 << 40).contains(generation), "its generation is \(generation)")
        try require(
            keyByteLimit == 0 || (64...1 << 20).contains(keyByteLimit),
            "its keys have \(keyByteLimit) bytes at most")
        try require((1...Self.numberLimit).contains(nextNumber), "its next number is \(nextNumber)")
        let numbers = models.map(\.number) + models.flatMap(\.indexes).map(\.number)
        let others = embedded.map(\.number) + models.compactMap(\.historyTree)
        try checkNumbers(numbers + others, below: nextNumber, of: "trees")
        for model in models { try check(model) }
        try checkContents()
        for type in embedded {
            try check(type.properties, below: type.nextProperty, of: type.name)
            // Refuse links in embedded values: no index could find the objects by them.
            let links = type.properties.filter { $0.isLink && !$0.isRetired }
            try require(links.isEmpty, "\(type.name) is embedded, and has a link")
        }
    }

    /// Checks that no two models share a sealed content type, and that no such type is also
    /// embedded.
    private func checkContents() throws(ObjectError) {
        let all = models.flatMap(\.properties) + embedded.flatMap(\.properties)
        let contents = all.compactMap(\.contentType)
        try require(Set(contents).count == contents.count, "two models share one sealed type")
        let isShared = all.contains { property in
            if case .embedded(let type) = property.kind { contents.contains(type) } else { false }
        }
        try require(!isShared, "a model's sealed type is also embedded")
    }

    private func check(_ model: ModelSchema) throws(ObjectError) {
        try check(model.properties, below: model.nextProperty, of: model.name)
        try require(!model.key.isEmpty, "\(model.name) has no key")
        try require(Set(model.key).count == model.key.count, "\(model.name)'s key repeats itself")
        for number in model.key {
            let property = model.property(number)
            guard case .scalar = property?.kind, property?.multiplicity == .one else {
                throw refused("\(model.name)'s key has property \(number), which no key can have")
            }
        }
        for index in model.indexes { try check(index, of: model) }
    }

    private func check(_ index: IndexSchema, of model: ModelSchema) throws(ObjectError) {
        try require(
            (1...Self.partLimit).contains(index.properties.count)
                && Set(index.properties).count == index.properties.count,
            "an index of \(model.name) has no part, too many parts, or one part twice")
        for number in index.properties {
            guard let property = model.property(number) else {
                throw refused("\(model.name) has an index of property \(number), which it lacks")
            }
            guard property.canHaveIndex else {
                throw refused("\(model.name).\(property.name) has an index, but cannot have one")
            }
        }
        let parts = index.properties.compactMap { model.property($0) }.map {
            IndexTable.Part($0, in: self)
        }
        try require(
            keyByteLimit == 0 || IndexTable.textByteLimit(parts, keyByteLimit: keyByteLimit) > 0,
            "an index of \(model.name) has more links and texts than a key has room for")
        let manyCount = index.properties.count { model.property($0)?.isMany == true }
        try require(
            manyCount <= (index.isUnique ? 0 : 1),
            "an index of \(model.name) has too many lists: it can have one, or none if unique")
    }

    private func check(
        _ properties: [PropertySchema], below next: Int, of name: String
    ) throws(ObjectError) {
        try require((0...Row.propertyLimit).contains(next), "\(name) has used up all numbers")
        try checkNumbers(properties.map(\.number), below: next, of: name)
        let names = properties.filter { !$0.isRetired }.map(\.name)
        try require(Set(names).count == names.count, "two properties of \(name) have one name")
        for property in properties {
            switch property.kind {
            case .link(let target):
                try require(model(target) != nil, "\(name) links to nothing")
                // Refuse links in dictionaries: no index could find the objects by them.
                try require(
                    property.multiplicity != .dictionary || property.isRetired,
                    "\(name).\(property.name) is a dictionary of links")
                try require(
                    property.multiplicity != .one || property.deleteRule != .nullify,
                    "\(name).\(property.name) cannot be nil, but its rule is to nullify it")
            case .embedded(let number), .content(let number):
                try require(embedded(number) != nil, "\(name) embeds nothing")
            case .scalar, .coded, .sealed, .secret: break
            }
        }
    }

    private func checkNumbers(
        _ numbers: [Int], below limit: Int, of name: String
    ) throws(ObjectError) {
        try require(Set(numbers).count == numbers.count, "a number of \(name) occurs twice")
        try require(numbers.allSatisfy { 0..<limit ~= $0 }, "a number of \(name) is out of bounds")
    }

    private func require(_ condition: Bool, _ message: String) throws(ObjectError) {
        guard condition else { throw refused(message) }
    }

    private func refused(_ message: String) -> ObjectError {
        ObjectError(.damaged, "read the schema: \(message)")
    }
}
