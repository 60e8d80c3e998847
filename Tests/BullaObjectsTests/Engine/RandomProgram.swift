import BullaObjects
import BullaTestSupport

/// A program's declarations, which name each other, and change from one version to the next.
struct RandomProgram {
    enum Kind: Hashable, Sendable {
        case scalar(ScalarType)
        case link(String)
        case embedded(String)
    }

    struct Property: Sendable {
        var name: String
        var formerName: String?
        var kind: Kind
        var multiplicity: Multiplicity
        var rule: DeleteRule?
        /// The value that existing objects get.
        var initial: ObjectValue?
    }

    struct Index: Hashable, Sendable {
        var properties: [String]
        var isUnique: Bool
    }

    struct Model: Sendable {
        var name: String
        var formerName: String?
        var properties: [Property]
        var key: [String]
        var indexes: [Index]
    }

    struct Embedded: Sendable {
        let name: String
        var properties: [Property]
    }

    var models: [Model]
    var embedded: [Embedded]
    var migrations: [Migration] = []

    /// The program that made a schema.
    init(_ schema: DatabaseSchema) {
        func name(_ number: Int) -> String { schema.model(number)?.name ?? "" }
        func property(_ property: PropertySchema) -> Property {
            let kind: Kind =
                switch property.kind {
                case .link(let target): .link(name(target))
                case .embedded(let type): .embedded(schema.embedded(type)?.name ?? "")
                case .scalar(let type): .scalar(type)
                default: .scalar(.data)
                }
            return Property(
                name: property.name, kind: kind, multiplicity: property.multiplicity,
                rule: property.deleteRule)
        }
        models = schema.models.map { model in
            func names(_ numbers: [Int]) -> [String] {
                numbers.map { model.property($0)?.name ?? "" }
            }
            // Each link has an index that no program declares.
            let declared = model.indexes.filter { index in
                index.isUnique || index.properties.count > 1
                    || model.property(index.properties[0]).map { !$0.isLink } ?? true
            }
            return Model(
                name: model.name, properties: model.properties.map(property),
                key: names(model.key),
                indexes: declared.map {
                    Index(properties: names($0.properties), isUnique: $0.isUnique)
                })
        }
        embedded = schema.embedded.map { type in
            Embedded(name: type.name, properties: type.properties.map(property))
        }
    }

    var definitions: [ModelDefinition] { models.map(definition) }

    private func definition(of model: Model) -> ModelDefinition {
        func ordinal(_ name: String) -> Int {
            model.properties.firstIndex { $0.name == name } ?? 0
        }
        return ModelDefinition(
            model.name, formerName: model.formerName,
            properties: model.properties.map(definition), key: model.key.map(ordinal),
            indexes: model.indexes.map { index in
                IndexDefinition(index.properties.map(ordinal), isUnique: index.isUnique)
            })
    }

    private func definition(of property: Property) -> PropertyDefinition {
        let type = PropertyType(kind(property.kind), property.multiplicity)
        let initial = property.initial.map { value in
            let own: @Sendable (_ObjectBindings) throws(ObjectError) -> [UInt8]? = {
                bindings throws(ObjectError) in
                let schema = bindings.tables.schema
                guard let kind = PropertySchema.Kind(type.kind, in: schema) else { return nil }
                let place = PropertySchema(
                    number: 0, name: "", kind: kind, multiplicity: type.multiplicity)
                var bytes: [UInt8] = []
                let isThere = try ValueCoding(schema: schema).append(value, of: place, to: &bytes)
                return isThere ? bytes : nil
            }
            return own
        }
        return PropertyDefinition(
            property.name, type, formerName: property.formerName, deleteRule: property.rule,
            initial: initial)
    }

    private func kind(_ kind: Kind) -> PropertyType.Kind {
        switch kind {
        case .scalar(let type): return .scalar(type)
        case .link(let name): return .link(name)
        case .embedded(let name):
            let definition = definition(
                of: embedded.first { $0.name == name } ?? Embedded(name: name, properties: []))
            return .embedded { definition }
        }
    }

    func definition(of type: Embedded) -> EmbeddedDefinition {
        EmbeddedDefinition(type.name, properties: type.properties.map(definition))
    }
}

extension RandomProgram.Model {
    subscript(property name: String) -> RandomProgram.Property? {
        properties.first { $0.name == name }
    }

    /// Properties that can be removed or changed: those outside the key.
    var changeable: [RandomProgram.Property] {
        properties.filter { !key.contains($0.name) }
    }
}
