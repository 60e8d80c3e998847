/// What becomes of a store's schema when a program opens it with its models.
///
/// New models, properties that have a value for the objects that are there, indexes, and properties
/// that may be nil from now on are taken in. What is renamed keeps its number. A property that no
/// model has any more is retired: its values stay. Anything else needs a migration.
package struct SchemaMatch {
    package private(set) var schema: DatabaseSchema
    /// Whether the store's schema is another one.
    package private(set) var changesSchema = false
    /// Models that are new: their trees are to be made.
    package private(set) var newModels: [Int] = []
    /// Indexes that are new: of which model, and which.
    package private(set) var newIndexes: [(model: Int, index: IndexSchema)] = []
    /// Trees of indexes that have gone.
    package private(set) var goneIndexes: [Int] = []
    /// Properties that came, whose value for the objects that are there is still to be asked for.
    package private(set) var newProperties:
        [(type: Int, number: Int, definition: PropertyDefinition)] = []
    package private(set) var models: [String: [Int]] = [:]
    package private(set) var embedded: [String: [Int]] = [:]

    /// - Parameter keyByteLimit: how many bytes a key of the store's trees may have; a schema keeps
    ///   that of the store which it was made in.
    /// - Throws: `migrationNeeded`; `invalidModel` where the definitions contradict themselves.
    package init(
        _ definitions: [ModelDefinition], to stored: DatabaseSchema, keyByteLimit: Int
    ) throws(ObjectError) {
        schema = stored
        if schema.keyByteLimit == 0 { schema.keyByteLimit = keyByteLimit }
        // Names first: links name models that may come later.
        for definition in definitions { try name(definition, among: definitions) }
        for definition in definitions { try take(definition) }
        do {
            try schema.check()
        } catch {
            throw ObjectError(.invalidModel, error.message)
        }
        changesSchema = schema != stored
        if changesSchema { schema.generation += 1 }
    }

    /// Sets what the objects that are there have of a property that came.
    package mutating func setInitial(_ bytes: [UInt8]?, of type: Int, _ number: Int) {
        if let model = schema.models.firstIndex(where: { $0.number == type }) {
            schema.models[model].properties.set(bytes, initialOf: number)
        } else if let embedded = schema.embedded.firstIndex(where: { $0.number == type }) {
            schema.embedded[embedded].properties.set(bytes, initialOf: number)
        }
    }

    private mutating func name(
        _ definition: ModelDefinition, among definitions: [ModelDefinition]
    ) throws(ObjectError) {
        try check(definition)
        guard schema.model(named: definition.name) == nil else { return }
        let former = schema.models.firstIndex { $0.name == definition.formerName }
        // Where a model bears the former name, that one is meant.
        if let former, !definitions.contains(where: { $0.name == definition.formerName }) {
            schema.models[former].name = definition.name
            return
        }
        let number = schema.takeNumber()
        schema.models.append(
            ModelSchema(
                number: number, name: definition.name, properties: [], key: definition.key,
                indexes: []))
        newModels.append(number)
    }

    private mutating func take(_ definition: ModelDefinition) throws(ObjectError) {
        guard let place = schema.models.firstIndex(where: { $0.name == definition.name }) else {
            return
        }
        let model = schema.models[place]
        var properties = model.properties
        let numbers = try match(
            definition.properties, to: &properties, of: model.number, definition.name,
            isNew: newModels.contains(model.number))
        models[definition.name] = numbers
        schema.models[place].properties = properties
        guard model.key == definition.key.map({ numbers[$0] }) else {
            throw needed("the key of \(definition.name) is another one")
        }
        try takeIndexes(of: definition, numbers, place, former: model)
    }

    private mutating func takeIndexes(
        of definition: ModelDefinition, _ numbers: [Int], _ place: Int, former: ModelSchema
    ) throws(ObjectError) {
        let links = definition.properties.indices.filter { ordinal in
            schema.models[place].property(numbers[ordinal])?.isLink == true
        }
        var wanted = links.map { (properties: [numbers[$0]], isUnique: false) }
        for index in definition.indexes {
            let properties = index.properties.map { numbers[$0] }
            if !wanted.contains(where: { $0 == (properties, index.isUnique) }) {
                wanted.append((properties, index.isUnique))
            }
        }
        var kept: [IndexSchema] = []
        for index in schema.models[place].indexes {
            // What may be nil from now on stands in entries in another form.
            let isSame = index.properties.allSatisfy { number in
                former.property(number)?.multiplicity
                    == schema.models[place].property(number)?.multiplicity
            }
            if isSame, wanted.contains(where: { $0 == (index.properties, index.isUnique) }) {
                kept.append(index)
            } else {
                goneIndexes.append(index.number)
            }
        }
        for (properties, isUnique) in wanted
        where !kept.contains(where: { $0.properties == properties && $0.isUnique == isUnique }) {
            let index = IndexSchema(
                number: schema.takeNumber(), properties: properties, isUnique: isUnique)
            kept.append(index)
            newIndexes.append((schema.models[place].number, index))
        }
        schema.models[place].indexes = kept
    }

    /// - Returns: the number of each definition's property, by ordinal.
    private mutating func match(
        _ definitions: [PropertyDefinition], to properties: inout [PropertySchema], of type: Int,
        _ name: String, isNew: Bool
    ) throws(ObjectError) -> [Int] {
        var numbers: [Int] = []
        for definition in definitions {
            let kind = try kind(of: definition.type)
            let found = properties.firstIndex { property in
                property.name == definition.name && !property.isRetired
            }
            // Where a property bears the former name, that one is meant.
            let isTaken = definitions.contains { $0.name == definition.formerName }
            let former = properties.firstIndex { property in
                property.name == definition.formerName && !property.isRetired && !isTaken
            }
            guard let place = found ?? former else {
                let number = (properties.map(\.number).max() ?? -1) + 1
                properties.append(
                    PropertySchema(
                        number: number, name: definition.name, kind: kind,
                        multiplicity: definition.type.multiplicity,
                        deleteRule: definition.deleteRule))
                if !isNew { try addToOld(definition, type, number, name) }
                numbers.append(number)
                continue
            }
            try change(&properties[place], to: definition, kind, name)
            numbers.append(properties[place].number)
        }
        for place in properties.indices where !numbers.contains(properties[place].number) {
            properties[place].isRetired = true
        }
        return numbers
    }

    private mutating func addToOld(
        _ definition: PropertyDefinition, _ type: Int, _ number: Int, _ name: String
    ) throws(ObjectError) {
        if definition.initial != nil {
            newProperties.append((type, number, definition))
        } else if definition.type.multiplicity == .one {
            throw needed(
                "\(name).\(definition.name) is new, and has no value for the objects that are there"
            )
        }
    }

    private func change(
        _ property: inout PropertySchema, to definition: PropertyDefinition, _ kind: PropertyKind,
        _ name: String
    ) throws(ObjectError) {
        let multiplicity = definition.type.multiplicity
        let becomesOptional = property.multiplicity == .one && multiplicity == .optional
        guard property.kind == kind, property.multiplicity == multiplicity || becomesOptional else {
            throw needed("\(name).\(definition.name) is of another type")
        }
        property.multiplicity = multiplicity
        property.name = definition.name
        property.deleteRule = definition.deleteRule
    }

    private mutating func kind(of type: PropertyType) throws(ObjectError) -> PropertyKind {
        switch type.kind {
        case .scalar(let scalar): return .scalar(scalar)
        case .coded: return .coded
        case .sealed: return .sealed
        case .link(let name):
            guard let model = schema.model(named: name) else {
                throw ObjectError(
                    .invalidModel, "a property links to \(name), which is not among the models")
            }
            return .link(model.number)
        case .embedded(let definition): return .embedded(try take(definition()))
        }
    }

    private mutating func take(_ definition: EmbeddedDefinition) throws(ObjectError) -> Int {
        if embedded[definition.name] != nil,
            let type = schema.embedded.first(where: { $0.name == definition.name })
        {
            return type.number
        }
        var place = schema.embedded.firstIndex { $0.name == definition.name }
        let isNew = place == nil
        if isNew {
            schema.embedded.append(
                EmbeddedSchema(
                    number: schema.takeNumber(), name: definition.name, properties: []))
            place = schema.embedded.count - 1
        }
        guard let place else { return 0 }
        let type = schema.embedded[place]
        // Known before its properties are: one of them may be of the same type.
        embedded[definition.name] = []
        var properties = type.properties
        embedded[definition.name] = try match(
            definition.properties, to: &properties, of: type.number, definition.name, isNew: isNew)
        schema.embedded[place].properties = properties
        return type.number
    }

    private func check(_ definition: ModelDefinition) throws(ObjectError) {
        let names = definition.properties.map(\.name)
        let ordinals = definition.key + definition.indexes.flatMap(\.properties)
        guard Set(names).count == names.count, !definition.key.isEmpty,
            ordinals.allSatisfy(names.indices.contains)
        else {
            throw ObjectError(
                .invalidModel,
                "\(definition.name) has two properties of one name, no key, or an index of none")
        }
    }

    private func needed(_ reason: String) -> ObjectError {
        ObjectError(.migrationNeeded, "open the database: \(reason)")
    }
}

extension [PropertySchema] {
    fileprivate mutating func set(_ bytes: [UInt8]?, initialOf number: Int) {
        guard let place = firstIndex(where: { $0.number == number }) else { return }
        self[place].initial = bytes
    }
}
