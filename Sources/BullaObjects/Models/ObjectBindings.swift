package import BullaMemory

/// Where the properties of a declared type are in a store: the number that the store gave to each.
package final class TypeBinding: Sendable {
    package let layout: ObjectLayout
    /// The numbers of the properties, by ordinal.
    package let numbers: [Int]
    /// The table of a model; nil for a type that is stored inside objects.
    package let table: ObjectTable?

    /// The number of the model or of the embedded type.
    package let number: Int
    /// Where the model's sealed properties are, if it seals any together.
    let content: ContentBinding?

    /// - Parameter content: where the sealed properties are in their blob.
    package init(_ table: ObjectTable, numbers: [Int], content: TypeBinding? = nil) {
        (layout, self.numbers, self.table) = (table.layout, numbers, table)
        number = table.number
        let property = table.model.content
        // In a schema that another program has written, the blob's type need not be the one that
        // this program declares.
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

/// Where a model's sealed properties are: the number of the property that holds their blob, and
/// their numbers in that blob.
struct ContentBinding: Sendable {
    let property: Int
    let type: TypeBinding
}

extension TypeBinding {
    /// The new row, completed with the values that the former row has for properties that the
    /// program does not declare.
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

/// The numbers that a store has given to a type and, by ordinal, to its properties.
package struct NumberedType: Sendable {
    package let type: Int
    package let numbers: [Int]

    package init(type: Int, _ numbers: [Int]) { (self.type, self.numbers) = (type, numbers) }
}

/// The types that a program has declared, and where their properties are in a store.
///
/// It is public only because ``ObjectReader`` requires it; there is nothing in it to use.
public final class _ObjectBindings: Sendable {
    package let tables: ObjectTables
    /// The open vaults of the database.
    let vaults: ObjectVaults
    private let models: [String: TypeBinding]
    private let embedded: [String: TypeBinding]
    /// The models that cannot be used yet, because a migration still has to rewrite them.
    private let hidden: Set<Int>

    /// The bindings of a schema that was read from a store, without a program's models.
    package init(_ schema: DatabaseSchema) {
        (tables, vaults) = (ObjectTables(schema), ObjectVaults())
        (models, embedded, hidden) = ([:], [:], [])
    }

    private init(_ other: _ObjectBindings, hiding hidden: Set<Int>) {
        (tables, models, embedded) = (other.tables, other.models, other.embedded)
        (vaults, self.hidden) = (other.vaults, hidden)
    }

    /// The schema's generation.
    package var generation: Int { tables.schema.generation }

    /// The same bindings, in which these models, and no others, cannot be used yet.
    func hiding(models: [Int]) -> _ObjectBindings { _ObjectBindings(self, hiding: Set(models)) }

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
    ///   - models: the models, by the names that the program gives them.
    ///   - embedded: the types that are stored inside objects, by their names.
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

    /// - Throws: `invalidModel` if the database was opened without the model, or the model cannot
    ///   be used yet.
    package func model(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = models[name] else {
            throw ObjectError(.invalidModel, "use \(name): the database was opened without it")
        }
        try checkWhole(binding.number, name)
        return binding
    }

    /// The table of the model with this name in the schema, whether or not the program has declared
    /// it.
    ///
    /// - Throws: `invalidModel` if the schema has no such model, or the model cannot be used yet.
    package func table(named name: String) throws(ObjectError) -> ObjectTable {
        guard let model = tables.schema.model(named: name), let table = tables[model.number] else {
            throw ObjectError(.invalidModel, "use \(name): the schema has no such model")
        }
        try checkWhole(model.number, name)
        return table
    }

    /// - Throws: `invalidModel` if the model cannot be used yet.
    package func checkWhole(_ number: Int, _ name: String) throws(ObjectError) {
        guard !hidden.contains(number) else {
            throw ObjectError(
                .invalidModel, "use \(name): it is migrated after the model that is migrated now")
        }
    }

    package func embedded(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = embedded[name] else {
            throw ObjectError(.invalidModel, "use \(name): no model has a property of that type")
        }
        return binding
    }
}
