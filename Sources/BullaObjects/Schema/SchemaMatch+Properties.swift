/// The type whose properties are matched.
struct PropertyMatch {
    /// Its number.
    let type: Int
    let name: String
    /// Whether there are no objects yet.
    let isNew: Bool
    /// Whether a migration converts each object.
    let isMigrated: Bool
    /// Whether a vault can seal its properties separately.
    ///
    /// Sealing needs an object's key, and an embedded value has none.
    var mayHaveSealed = true
}

/// The properties of a type, as a store describes and numbers them.
struct NumberedProperties {
    var list: [PropertySchema]
    var next: Int

    mutating func add(_ definition: PropertyDefinition, _ kind: PropertySchema.Kind) -> Int {
        defer { next += 1 }
        var property = PropertySchema(
            number: next, name: definition.name, kind: kind,
            multiplicity: definition.type.multiplicity, deleteRule: definition.deleteRule)
        (property.vault, property.history) = (definition.vault, definition.keptCount)
        list.append(property)
        return next
    }

    /// The position of the property with a name, if it is still in use.
    func place(named name: String?) -> Int? {
        list.firstIndex { $0.name == name && !$0.isRetired }
    }
}

/// Matching of properties, and of the types that are stored inside objects.
extension SchemaMatch {
    /// - Returns: the number of each definition's property, by ordinal.
    mutating func match(
        _ definitions: [PropertyDefinition], to properties: inout NumberedProperties,
        _ scope: PropertyMatch
    ) throws(ObjectError) -> [Int] {
        var numbers: [Int] = []
        for definition in definitions {
            let kind = try kind(of: definition, among: properties.list, scope)
            // If another declared property has the former name now, the stored property belongs to
            // that declared property, not to this one.
            let isTaken = definitions.contains { $0.name == definition.formerName }
            let former = isTaken ? nil : properties.place(named: definition.formerName)
            let place = properties.place(named: definition.name) ?? former
            if let place, properties.list[place].canBecome(definition, kind) {
                properties.list[place].become(definition)
                numbers.append(properties.list[place].number)
            } else if place == nil || scope.isMigrated {
                let number = properties.add(definition, kind)
                if !scope.isNew { try addToOld(definition, number, scope) }
                numbers.append(number)
            } else {
                throw needed("\(scope.name).\(definition.name) is of another type")
            }
        }
        for place in properties.list.indices
        where !numbers.contains(properties.list[place].number) {
            properties.list[place].isRetired = true
        }
        return numbers
    }

    private mutating func addToOld(
        _ definition: PropertyDefinition, _ number: Int, _ scope: PropertyMatch
    ) throws(ObjectError) {
        if definition.initial != nil {
            newProperties.append((scope.type, number, definition))
        } else if definition.type.multiplicity == .one, !scope.isMigrated {
            throw needed(
                "\(scope.name).\(definition.name) is new, and has no value for existing "
                    + "objects")
        }
    }

    /// - Parameter properties: the properties that the store has.
    private mutating func kind(
        of property: PropertyDefinition, among properties: [PropertySchema], _ scope: PropertyMatch
    ) throws(ObjectError) -> PropertySchema.Kind {
        switch property.type.kind.form {
        case .embedded(let definition): try take(definition())
        case .content(let definition):
            guard !definition().properties.isEmpty else {
                throw ObjectError(.invalidModel, "\(scope.name) is sealed, and seals nothing")
            }
            renameContent(among: properties, to: definition().name)
            try take(definition(), isContent: true)
        case .sealed, .secret: try checkSealed(property, scope)
        case .scalar, .link, .coded: break
        }
        if let kind = PropertySchema.Kind(property.type.kind, in: schema) { return kind }
        let target = if case .link(let name) = property.type.kind.form { name } else { "nothing" }
        throw ObjectError(
            .invalidModel, "a property links to \(target), which is not among the models")
    }

    private func checkSealed(
        _ property: PropertyDefinition, _ scope: PropertyMatch
    ) throws(ObjectError) {
        guard property.vault != nil, scope.mayHaveSealed else {
            throw ObjectError(
                .invalidModel,
                "\(scope.name).\(property.name) is sealed: it needs the name of a vault, and must "
                    + "be in a model, not in a value inside one")
        }
    }

    /// Renames a model's sealed content type together with the model.
    private mutating func renameContent(among properties: [PropertySchema], to name: String) {
        for number in properties.filter({ !$0.isRetired }).compactMap(\.contentType) {
            if let place = schema.embedded.firstIndex(where: { $0.number == number }) {
                schema.embedded[place].name = name
            }
        }
    }

    /// - Parameter isContent: whether it is a model's sealed content, rather than an embedded
    ///   value.
    private mutating func take(
        _ definition: EmbeddedDefinition, isContent: Bool = false
    ) throws(ObjectError) {
        guard embedded[definition.name] == nil else {
            guard embeddedTexts[definition.name] == definition.formText else {
                throw ObjectError(
                    .invalidModel, "two embedded types have one name: \(definition.name)")
            }
            return
        }
        let found = schema.embedded.firstIndex { $0.name == definition.name }
        let place = found ?? schema.embedded.count
        if found == nil {
            schema.embedded.append(
                EmbeddedSchema(
                    number: schema.takeNumber(), name: definition.name, properties: []))
        }
        let (type, text) = (schema.embedded[place], definition.formText)
        guard !pending.isEmpty || !type.forms.haveReplaced(text) else {
            throw replaced(definition.name)
        }
        // Register the type before its properties are matched: one of them may be of the same type.
        embedded[definition.name] = []
        embeddedTexts[definition.name] = text
        var properties = NumberedProperties(list: type.properties, next: type.nextProperty)
        let scope = PropertyMatch(
            type: type.number, name: definition.name, isNew: found == nil, isMigrated: false,
            mayHaveSealed: isContent)
        let numbers = try match(definition.properties, to: &properties, scope)
        embedded[definition.name] = numbers
        schema.embedded[place].properties = properties.list
        schema.embedded[place].nextProperty = properties.next
        schema.embedded[place].forms.note(SchemaForm(text: text, numbers: numbers))
    }
}

extension PropertySchema.Kind {
    /// The declared kind, with the schema's numbers; `nil` if the schema lacks the type it names.
    package init?(_ kind: PropertyType.Kind, in schema: DatabaseSchema) {
        switch kind.form {
        case .scalar(let type): self = .scalar(type)
        case .coded: self = .coded
        case .sealed: self = .sealed
        case .secret: self = .secret
        case .link(let name):
            guard let model = schema.model(named: name) else { return nil }
            self = .link(model.number)
        case .embedded(let definition):
            guard let type = schema.embedded(named: definition().name) else { return nil }
            self = .embedded(type.number)
        case .content(let definition):
            guard let type = schema.embedded(named: definition().name) else { return nil }
            self = .content(type.number)
        }
    }
}

extension PropertySchema {
    /// Whether the property can become what a program declares, and keep its stored values.
    fileprivate func canBecome(_ definition: PropertyDefinition, _ kind: Kind) -> Bool {
        self.kind == kind && multiplicity.canBe(definition.type.multiplicity)
            && vault == definition.vault
    }

    fileprivate mutating func become(_ definition: PropertyDefinition) {
        name = definition.name
        multiplicity = definition.type.multiplicity
        deleteRule = definition.deleteRule
        history = definition.keptCount
    }
}

extension PropertyDefinition {
    fileprivate var keptCount: Int? { history > 0 ? history : nil }
}
