/// How a type that a program declares lies in a store: which number each of its properties has.
package final class TypeBinding: Sendable {
    package let layout: ObjectLayout
    /// By ordinal.
    package let numbers: [Int]
    /// The table of a model; none of a type that is stored inside of objects.
    package let table: ObjectTable?

    /// A model's, or that of the embedded type of this number.
    package let number: Int

    package init(_ table: ObjectTable, numbers: [Int]) {
        (layout, self.numbers, self.table) = (table.layout, numbers, table)
        number = table.model.number
    }

    package init(_ type: EmbeddedSchema, numbers: [Int]) {
        (layout, self.numbers, table) = (ObjectLayout(type), numbers, nil)
        number = type.number
    }
}

/// The types that a program has declared, and how they lie in a store.
public final class ObjectBindings: Sendable {
    package let tables: ObjectTables
    private let models: [String: TypeBinding]
    private let embedded: [String: TypeBinding]

    /// Of a schema that is read from a store, without a program's models.
    package init(_ schema: DatabaseSchema, keyByteLimit: Int) {
        tables = ObjectTables(schema, keyByteLimit: keyByteLimit)
        (models, embedded) = ([:], [:])
    }

    /// - Parameter keyByteLimit: how many bytes a key of the store's trees may have.
    package init(_ match: SchemaMatch, keyByteLimit: Int) {
        let (schema, tables) = (
            match.schema, ObjectTables(match.schema, keyByteLimit: keyByteLimit)
        )
        self.tables = tables
        var (models, embedded) = ([String: TypeBinding](), [String: TypeBinding]())
        for (name, numbers) in match.models {
            guard let number = schema.model(named: name)?.number, let table = tables[number] else {
                continue
            }
            models[name] = TypeBinding(table, numbers: numbers)
        }
        for (name, numbers) in match.embedded {
            guard let type = schema.embedded.first(where: { $0.name == name }) else { continue }
            embedded[name] = TypeBinding(type, numbers: numbers)
        }
        (self.models, self.embedded) = (models, embedded)
    }

    /// - Throws: `invalidModel` where the database was opened without it.
    package func model(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = models[name] else {
            throw ObjectError(.invalidModel, "use \(name): the database was opened without it")
        }
        return binding
    }

    package func embedded(_ name: String) throws(ObjectError) -> TypeBinding {
        guard let binding = embedded[name] else {
            throw ObjectError(.invalidModel, "use \(name): no model has a property of that type")
        }
        return binding
    }
}
