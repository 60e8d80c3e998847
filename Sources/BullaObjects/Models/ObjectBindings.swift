package import BullaMemory

/// How a type that a program declares lies in a store: which number each of its properties has.
package final class TypeBinding: Sendable {
    package let layout: ObjectLayout
    /// By ordinal.
    package let numbers: [Int]
    /// The table of a model; none of a type that is stored inside of objects.
    package let table: ObjectTable?

    /// A model's, or that of the embedded type of this number.
    package let number: Int
    /// What a model has sealed in one blob, where it has.
    let content: ContentBinding?

    /// - Parameter content: how what it has sealed lies in its blob.
    package init(_ table: ObjectTable, numbers: [Int], content: TypeBinding? = nil) {
        (layout, self.numbers, self.table) = (table.layout, numbers, table)
        number = table.number
        let property = table.model.content
        // A schema that somebody else has written may say that it has another's.
        let own = content.flatMap { $0.number == property?.contentType ? $0 : nil }
        self.content = property.flatMap { property in
            own.map { ContentBinding(property: property.number, type: $0) }
        }
    }

    package init(_ type: EmbeddedSchema, numbers: [Int]) {
        (layout, self.numbers, table, content) = (ObjectLayout(type), numbers, nil, nil)
        number = type.number
    }
}

/// Where what a model has sealed lies: in which property's blob, and how in that.
struct ContentBinding: Sendable {
    let property: Int
    let type: TypeBinding
}

extension TypeBinding {
    /// A row with what another has of properties that the program does not declare: retired ones.
    ///
    /// - Throws: `damaged`, `tooLarge`.
    package func row(
        _ row: [UInt8], keepingOthersOf former: ByteView
    ) throws(ObjectError) -> [UInt8] {
        guard layout.count > numbers.count else { return row }
        guard let old = Row(former) else { throw layout.damaged("row") }
        let own = Set(numbers)
        let others = (0..<old.count).filter { !own.contains($0) }
        return try row.withView { view throws(ObjectError) in
            guard let new = Row(view) else { throw layout.damaged("row") }
            var draft = RowDraft()
            draft.begin(count: max(new.count, old.count))
            for number in 0..<new.count {
                if case .value(let value) = new[number] { draft.set(number, value) }
            }
            for number in others {
                if case .value(let value) = old[number] { draft.set(number, value) }
            }
            return try draft.bytes(of: layout)
        }
    }
}

/// The number that a store has given a type, and those of its properties, by ordinal.
package struct NumberedType: Sendable {
    package let type: Int
    package let numbers: [Int]

    package init(type: Int, _ numbers: [Int]) { (self.type, self.numbers) = (type, numbers) }
}

/// The types that a program has declared, and how they lie in a store.
public final class ObjectBindings: Sendable {
    package let tables: ObjectTables
    /// The vaults that the database has open.
    let vaults: ObjectVaults
    private let models: [String: TypeBinding]
    private let embedded: [String: TypeBinding]
    /// Models that are not whole yet, since they are migrated.
    private let hidden: Set<Int>

    /// Of a schema that is read from a store, without a program's models.
    package init(_ schema: DatabaseSchema) {
        (tables, vaults) = (ObjectTables(schema), ObjectVaults())
        (models, embedded, hidden) = ([:], [:], [])
    }

    private init(_ other: ObjectBindings, hiding hidden: Set<Int>) {
        (tables, models, embedded) = (other.tables, other.models, other.embedded)
        (vaults, self.hidden) = (other.vaults, hidden)
    }

    /// That of the schema.
    package var generation: Int { tables.schema.generation }

    /// The same without models that are not whole yet.
    func hiding(models: [Int]) -> ObjectBindings { ObjectBindings(self, hiding: Set(models)) }

    package convenience init(_ match: SchemaMatch, _ vaults: ObjectVaults = ObjectVaults()) {
        let schema = match.schema
        let models = match.models.compactMap { name, numbers in
            schema.model(named: name).map { (name, NumberedType(type: $0.number, numbers)) }
        }
        let embedded = match.embedded.compactMap { name, numbers in
            schema.embedded(named: name).map { (name, NumberedType(type: $0.number, numbers)) }
        }
        self.init(
            schema, models: Dictionary(uniqueKeysWithValues: models),
            embedded: Dictionary(uniqueKeysWithValues: embedded), vaults)
    }

    /// - Parameters:
    ///   - models: by the names that the program knows them by.
    ///   - embedded: the same of the types that are stored inside of objects.
    package init(
        _ schema: DatabaseSchema, models: [String: NumberedType], embedded: [String: NumberedType],
        _ vaults: ObjectVaults = ObjectVaults()
    ) {
        let tables = ObjectTables(schema)
        (self.tables, self.vaults, hidden) = (tables, vaults, [])
        let embedded = embedded.compactMapValues { type in
            schema.embedded(type.type).map { TypeBinding($0, numbers: type.numbers) }
        }
        self.embedded = embedded
        self.models = Dictionary(
            uniqueKeysWithValues: models.compactMap { name, type in
                tables[type.type].map { table in
                    let content = embedded[ModelDefinition.contentName(of: name)]
                    return (name, TypeBinding(table, numbers: type.numbers, content: content))
                }
            })
    }

    /// - Throws: `invalidModel` where the database was opened without it.
    package func model(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = models[name] else {
            throw ObjectError(.invalidModel, "use \(name): the database was opened without it")
        }
        try checkWhole(binding.number, name)
        return binding
    }

    /// The table of the model that the schema calls so, whether the program has declared it or not.
    ///
    /// - Throws: `invalidModel` where the schema has none.
    package func table(named name: String) throws(ObjectError) -> ObjectTable {
        guard let model = tables.schema.model(named: name), let table = tables[model.number] else {
            throw ObjectError(.invalidModel, "use \(name): the schema has no such model")
        }
        try checkWhole(model.number, name)
        return table
    }

    /// - Throws: `invalidModel` where the model is not whole yet.
    package func checkWhole(_ number: Int, _ name: String) throws(ObjectError) {
        guard !hidden.contains(number) else {
            throw ObjectError(
                .invalidModel, "use \(name): it is migrated after the model that is at hand")
        }
    }

    package func embedded(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = embedded[name] else {
            throw ObjectError(.invalidModel, "use \(name): no model has a property of that type")
        }
        return binding
    }
}
