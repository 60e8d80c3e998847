internal import Bulla
internal import BullaObjects

/// A schema as the command prints it, with names in place of the numbers in the store.
struct SchemaAnswer: Encodable {
    /// How many times the schema has been changed.
    let generation: Int
    let migrations: [String]
    let models: [TypeAnswer]
    let embedded: [TypeAnswer]

    init(_ schema: DatabaseSchema) {
        (generation, migrations) = (schema.generation, schema.migrations)
        models = schema.models.map { TypeAnswer($0, in: schema) }
        embedded = schema.embedded.map { TypeAnswer($0, in: schema) }
    }

    /// The answer as text for people.
    var text: String {
        let types = models.map { $0.text("model") } + embedded.map { $0.text("embedded") }
        return types.joined()
    }
}

/// A model, or a type that is stored inside objects.
struct TypeAnswer: Encodable {
    let name: String
    var key: [String]?
    let properties: [PropertyAnswer]
    var indexes: [IndexAnswer]?

    init(_ model: ModelSchema, in schema: DatabaseSchema) {
        func names(_ numbers: [Int]) -> [String] {
            numbers.map { model.property($0)?.name ?? "?" }
        }
        name = model.name
        key = names(model.key)
        properties = model.properties.map { PropertyAnswer($0, in: schema) }
        indexes = model.indexes.map {
            IndexAnswer(properties: names($0.properties), isUnique: $0.isUnique)
        }
    }

    init(_ type: EmbeddedSchema, in schema: DatabaseSchema) {
        name = type.name
        properties = type.properties.map { PropertyAnswer($0, in: schema) }
    }

    func text(_ word: String) -> String {
        let keyLine = key.map { ["  key \(Self.list($0))"] } ?? []
        let indexLines = (indexes ?? []).map { index in
            "  \(index.isUnique ? "unique index" : "index") \(Self.list(index.properties))"
        }
        let lines = ["\(word) \(name)"] + keyLine + properties.map { "  \($0.text)" } + indexLines
        return lines.map { EscapedText.line(Array($0.utf8)) + "\n" }.joined()
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

struct IndexAnswer: Encodable {
    let properties: [String]
    let isUnique: Bool
}

/// A property: the type of its values, and how many values it can have.
struct PropertyAnswer: Encodable {
    let name: String
    /// A word such as `integer`, `link` or `embedded`.
    let type: String
    /// The model that a link leads to, or the type of an embedded value, whether sealed or not;
    /// `nil` for any other property.
    let of: String?
    let multiplicity: Multiplicity
    let deleteRule: DeleteRule?
    let vault: String?
    let history: Int?
    /// Whether the program's model no longer has the property.
    let isRetired: Bool

    init(_ property: PropertySchema, in schema: DatabaseSchema) {
        (name, multiplicity) = (property.name, property.multiplicity)
        (deleteRule, vault) = (property.deleteRule, property.vault)
        (history, isRetired) = (property.history, property.isRetired)
        (type, of) =
            switch property.kind {
            case .scalar(let type): ("\(type)", nil)
            case .link(let number): ("link", schema.model(number)?.name)
            case .embedded(let number): ("embedded", schema.embedded(number)?.name)
            case .coded: ("json", nil)
            case .sealed, .secret: ("sealed", nil)
            case .content(let number): ("sealed", schema.embedded(number)?.name)
            }
    }

    /// A line such as `company: link to Company or nil, on delete nullify`.
    var text: String {
        let kind =
            switch (type, of) {
            case ("link", let model?): "link to \(model)"
            case ("embedded", let name?): name
            default: type
            }
        let many =
            switch multiplicity {
            case .one: kind
            case .optional: "\(kind) or nil"
            case .list: "list of \(kind)"
            case .set: "set of \(kind)"
            case .dictionary: "dictionary of \(kind)"
            }
        let parts: [String?] = [
            "\(name): \(many)", deleteRule.map { "on delete \($0.rawValue)" },
            vault.map { "in the vault \($0)" }, history.map { "keeping \($0)" },
            isRetired ? "no longer in any program" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
