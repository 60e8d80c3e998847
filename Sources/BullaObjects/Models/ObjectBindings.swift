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

    package init(_ table: ObjectTable, numbers: [Int]) {
        (layout, self.numbers, self.table) = (table.layout, numbers, table)
        number = table.model.number
    }

    package init(_ type: EmbeddedSchema, numbers: [Int]) {
        (layout, self.numbers, table) = (ObjectLayout(type), numbers, nil)
        number = type.number
    }
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

/// The types that a program has declared, and how they lie in a store.
public final class ObjectBindings: Sendable {
    package let tables: ObjectTables
    private let models: [String: TypeBinding]
    private let embedded: [String: TypeBinding]

    /// Of a schema that is read from a store, without a program's models.
    package init(_ schema: DatabaseSchema) {
        tables = ObjectTables(schema)
        (models, embedded) = ([:], [:])
    }

    package init(_ match: SchemaMatch) {
        let (schema, tables) = (match.schema, ObjectTables(match.schema))
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
