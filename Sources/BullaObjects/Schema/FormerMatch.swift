/// Finds the models of an older program in a store whose schema a newer program has changed.
///
/// With them, the older program can still read objects. The store keeps the former forms of its
/// types, and reuses no number. So the older program can read a property as long as the property
/// exists with the same type.
package struct FormerMatch {
    package private(set) var models: [String: NumberedType] = [:]
    package private(set) var embedded: [String: NumberedType] = [:]
    private let schema: DatabaseSchema

    /// - Throws: `schemaChanged` if the store never had one of the models, or no longer has
    ///   something that a model declares.
    package init(
        _ definitions: [ModelDefinition], in schema: DatabaseSchema
    ) throws(ObjectError) {
        self.schema = schema
        for definition in definitions {
            let text = definition.formText
            let found = schema.models.firstNonNil { model in
                model.forms.numbers(of: text).map { (model, $0) }
            }
            guard let (model, numbers) = found, numbers.count == definition.properties.count,
                model.key == definition.key.map({ numbers[$0] })
            else { throw Self.gone(definition.name) }
            models[definition.name] = NumberedType(type: model.number, numbers)
        }
        for definition in definitions {
            guard let type = models[definition.name], let model = schema.model(type.type) else {
                continue
            }
            try check(
                definition.properties, type.numbers, model.properties, of: definition.name)
        }
    }

    private mutating func check(
        _ definitions: [PropertyDefinition], _ numbers: [Int], _ properties: [PropertySchema],
        of name: String
    ) throws(ObjectError) {
        for (definition, number) in zip(definitions, numbers) {
            // No program keeps a retired property up to date, so no program may read it.
            guard let property = properties.first(where: { $0.number == number }),
                !property.isRetired, property.multiplicity == definition.type.multiplicity,
                try property.kind == kind(of: definition.type)
            else { throw Self.gone("\(name).\(definition.name)") }
        }
    }

    private mutating func kind(of type: PropertyType) throws(ObjectError) -> PropertySchema.Kind? {
        switch type.kind.form {
        case .scalar(let scalar): return .scalar(scalar)
        case .coded: return .coded
        case .sealed: return .sealed
        case .secret: return .secret
        case .link(let name): return models[name].map { .link($0.type) }
        case .embedded(let definition): return .embedded(try take(definition()))
        case .content(let definition): return .content(try take(definition()))
        }
    }

    private mutating func take(_ definition: EmbeddedDefinition) throws(ObjectError) -> Int {
        if let known = embedded[definition.name] { return known.type }
        let text = definition.formText
        let found = schema.embedded.firstNonNil { type in
            type.forms.numbers(of: text).map { (type, $0) }
        }
        guard let (type, numbers) = found, numbers.count == definition.properties.count else {
            throw Self.gone(definition.name)
        }
        embedded[definition.name] = NumberedType(type: type.number, numbers)
        try check(definition.properties, numbers, type.properties, of: definition.name)
        return type.number
    }

    private static func gone(_ name: String) -> ObjectError {
        ObjectError(
            .schemaChanged,
            "open the database: a newer program has changed it so that \(name) cannot be read")
    }
}

extension [SchemaForm] {
    fileprivate func numbers(of text: String) -> [Int]? { first { $0.text == text }?.numbers }
}

extension Sequence {
    fileprivate func firstNonNil<R>(_ body: (Element) -> R?) -> R? {
        for element in self { if let result = body(element) { return result } }
        return nil
    }
}
