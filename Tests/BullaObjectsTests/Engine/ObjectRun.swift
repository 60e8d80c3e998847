import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Testing

/// A store of objects whose program changes, and its expected content.
struct ObjectRun {
    private let store: Store
    private let scratch: Scratch
    private var program: RandomProgram
    private var bindings: _ObjectBindings
    /// The same models with only the indexes that links need; queries must find the same objects.
    private var bare: _ObjectBindings
    private var oracle: Oracle
    private var random: TestRandom
    /// The maximum number of objects of each model.
    private let objectLimit: Int
    /// The program changes once in this many steps.
    private let stepsAVersion: Int

    init(seed: UInt64, _ kind: StoreKind, operations: Int) throws {
        random = TestRandom(seed: seed)
        scratch = try Scratch()
        var options = StoreOptions()
        options.suite = kind.suite
        store = try Store.open(
            at: scratch.path("objects.bulla"), key: kind.key(), options: options)
        program = RandomProgram(RandomSchema.draw(&random))
        bindings = _ObjectBindings(DatabaseSchema())
        bare = bindings
        oracle = Oracle(DatabaseSchema())
        // There are at most six models, so at most about 2 000 objects.
        objectLimit = random.pick([30, 60, 330])
        stepsAVersion = max(operations / 300, 25)
        let error = try update(to: program)
        try #require(error == nil)
        oracle.adopt(bindings.tables.schema)
    }

    mutating func step() throws {
        guard !random.isOne(in: stepsAVersion) else { return try evolve() }
        let model = random.pick(bindings.tables.schema.models)
        let places = oracle.places(of: model)
        switch random.below(10) {
        case 0...3 where places.count < objectLimit: try insert(into: model)
        case 4...5 where !places.isEmpty: try update(random.pick(places), model)
        case 6 where !places.isEmpty: try delete(random.pick(places), model)
        default: try query(model)
        }
    }

    private mutating func insert(into model: ModelSchema) throws {
        let key = oracle.key(of: model, &random)
        let place = Oracle.Place(model: model.number, key: key)
        let fields = oracle.fields(of: model, key: key, &random)
        let isTaken = oracle.isTaken(fields, place, model)
        let isThere = oracle.objects[place] != nil
        let code = try write { editor, tables in
            let table = tables[model.number]!
            try Self.withBytes(key, fields, table, tables) { key, row in
                try editor.insert(key, row, into: table)
            }
        }
        if isThere || isTaken {
            #expect(code == .duplicateKey && isThere || code == .duplicateValue && isTaken)
        } else {
            #expect(code == nil)
            oracle.put(fields, place)
        }
    }

    private mutating func update(_ place: Oracle.Place, _ model: ModelSchema) throws {
        let fields = oracle.fields(of: model, key: place.key, &random)
        let isTaken = oracle.isTaken(fields, place, model)
        let code = try write { editor, tables in
            let table = tables[model.number]!
            try Self.withBytes(place.key, fields, table, tables) { key, row in
                let former = try #require(try editor.row(key, in: table))
                try former.withView { try editor.replace(key, $0, with: row, in: table) }
            }
        }
        #expect(code == (isTaken ? .duplicateValue : nil))
        if !isTaken { oracle.put(fields, place) }
    }

    private mutating func delete(_ place: Oracle.Place, _ model: ModelSchema) throws {
        let isDeleted = oracle.delete([place])
        let code = try write { editor, tables in
            var deletion = Deletion(tables)
            deletion.add(Condition.key(place.key), of: tables[model.number]!)
            try deletion.run(&editor)
        }
        #expect(code == (isDeleted ? nil : .referenced))
    }

    private static func withBytes(
        _ key: [Scalar], _ fields: ObjectFields, _ table: ObjectTable, _ tables: ObjectTables,
        _ body: (ByteView, ByteView) throws -> Void
    ) throws {
        let key = try table.model.key(of: key)
        let row = try ValueCoding(schema: tables.schema).row(
            fields.values, table.model.properties, table.layout)
        try key.withView { key in try row.withView { row in try body(key, row) } }
    }

    /// - Returns: the code of the error; `nil` if there was none.
    private func write(
        _ body: (inout ObjectTransaction, ObjectTables) throws -> Void
    ) throws -> ObjectError.Code? {
        var editor = ObjectTransaction(
            try store.beginWrite(durability: .relaxed(within: .seconds(60))), bindings)
        do {
            try body(&editor, bindings.tables)
        } catch let error as ObjectError {
            return error.code
        }
        try editor.commit()
        return nil
    }
}

/// Versions of the program.
extension ObjectRun {
    private mutating func evolve() throws {
        let change = ProgramChange.draw(of: program, oracle, &random)
        var (next, answer) = (program, oracle)
        next.apply(change)
        let reasons = answer.apply(change, to: next)
        let isOlder = next.isOlder(than: bindings.tables.schema)
        var isPruning = false
        if case .prune = change { isPruning = true }
        if let error = try update(to: next, isPruning: isPruning) {
            let isExpected = reasons.contains(error.code) || error.code == .schemaChanged && isOlder
            #expect(isExpected, "\(change): \(error)")
        } else {
            #expect(reasons.isEmpty, "\(change)")
            (program, oracle) = (next, answer)
            oracle.adopt(bindings.tables.schema)
        }
        try checkAll()
    }

    /// - Returns: the error; `nil` if there was none.
    private mutating func update(
        to program: RandomProgram, isPruning: Bool = false
    ) throws -> ObjectError? {
        do {
            let transaction = try store.beginWrite(durability: .relaxed(within: .seconds(60)))
            var update = SchemaUpdate(
                try SchemaMatch(
                    program.definitions, to: SchemaTree.read(transaction),
                    keyByteLimit: store.info.keyByteLimit, migrations: program.migrations,
                    isPruning: isPruning))
            guard update.isNeeded else { return nil }
            try update.run(transaction)
            bindings = update.bindings
        } catch let error as ObjectError {
            return error
        }
        bare = _ObjectBindings(bindings.tables.schema.withoutIndexes)
        return nil
    }

    /// Checks every object, property by property, and counts the entries of every index.
    func checkAll() throws {
        let reader = ObjectSnapshot(try store.makeSnapshot(visibility: .published), bindings)
        let schema = bindings.tables.schema
        for model in schema.models {
            let table = try #require(bindings.tables[model.number])
            #expect(try reader._count(of: model.number) == oracle.places(of: model).count)
            var entries: [Int: Int] = [:]
            try reader.scan(model.number, .all, .ascending) {
                (key: ByteView, row: ByteView) throws(ObjectError) in
                let object = try table.object(key, row)
                let fields = try ValueCoding(schema: schema).fields(
                    object, model.properties, table.layout)
                let place = Oracle.Place(model: model.number, key: model.parts(ofKey: key) ?? [])
                #expect(fields == oracle.objects[place]?.values)
                for index in table.indexes {
                    entries[index.number, default: 0] += try table.entries(
                        of: object, in: index
                    ).count
                }
                return .next
            }
            for index in table.indexes {
                #expect(try reader._count(of: index.number) == entries[index.number] ?? 0)
            }
        }
    }
}

/// Queries.
extension ObjectRun {
    private mutating func query(_ model: ModelSchema) throws {
        let condition = Condition.draw(of: model, oracle, &random)
        var selection = Selection(filter: condition.filter(oracle))
        let sortable = model.current.filter { property in
            guard case .scalar = property.kind else { return false }
            return property.multiplicity == .one || property.multiplicity == .optional
        }
        let sorting = sortable.shuffled(using: &random).prefix(random.below(3)).map {
            ($0, random.isOne(in: 2))
        }
        selection.order.items = sorting.map {
            SelectionOrder.Item(path: Path($0.0.number), isDescending: $0.1)
        }
        if random.isOne(in: 2) { selection.limit = random.below(8) }
        let fitting = ConditionAnswer(condition, oracle).places(of: model)
        let keys = Set(fitting.map(\.key))
        let inOrder = sorting.isEmpty ? [] : sorted(fitting, sorting)
        for bindings in [bindings, bare] {
            let found = try find(selection, model, bindings)
            #expect(Set(found).count == found.count)
            #expect(found.count == min(fitting.count, selection.limit ?? .max))
            // Keep keys and conditions out of the message, because an invalid date has no
            // description.
            let isAsked = found.allSatisfy(keys.contains)
            #expect(isAsked, "of \(model.name)")
            guard !sorting.isEmpty else { continue }
            let isSorted = found == inOrder.prefix(found.count).map(\.key)
            #expect(isSorted, "of \(model.name)")
        }
    }

    private func find(
        _ selection: Selection, _ model: ModelSchema, _ bindings: _ObjectBindings
    ) throws -> [[Scalar]] {
        let reader = ObjectSnapshot(try store.makeSnapshot(visibility: .published), bindings)
        let table = try #require(bindings.tables[model.number])
        var found: [[Scalar]] = []
        try SelectionRun(selection, of: table, in: bindings.tables).forEach(reader) { object in
            found.append(model.parts(ofKey: object.key) ?? [])
            return .next
        }
        return found
    }

    private typealias Sortable = (place: Oracle.Place, values: [SampleValue?])

    private func sorted(
        _ places: [Oracle.Place], _ sorting: [(PropertySchema, Bool)]
    ) -> [Oracle.Place] {
        // Look up each object once: long runs sort millions of times.
        let objects: [Sortable] = places.map { place in
            let fields = oracle.objects[place]
            let values = sorting.map { property, _ -> SampleValue? in
                guard case .scalar(let scalar) = fields?[property.name] else { return nil }
                return SampleValue(scalar: scalar)
            }
            return (place, values)
        }
        let directions = sorting.map(\.1)
        return objects.sorted { Self.isBefore($0, $1, directions) }.map(\.place)
    }

    private static func isBefore(
        _ one: Sortable, _ other: Sortable, _ directions: [Bool]
    ) -> Bool {
        for (place, isDescending) in directions.enumerated() {
            let order = SampleValue.order([one.values[place]], [other.values[place]])
            if order != 0 { return (order < 0) != isDescending }
        }
        return one.place.isBefore(other.place) != (directions.last ?? false)
    }
}

extension DatabaseSchema {
    /// The same schema with only the indexes that links need.
    var withoutIndexes: DatabaseSchema {
        var bare = self
        for place in bare.models.indices {
            let links = bare.models[place].properties.filter(\.isLink)
            bare.models[place].indexes.removeAll { index in
                !links.contains { [$0.number] == index.properties }
            }
        }
        return bare
    }
}

extension RandomProgram {
    /// Whether the program declares a type as it was before the store changed it.
    fileprivate func isOlder(than schema: DatabaseSchema) -> Bool {
        let forms = schema.models.map(\.forms) + schema.embedded.map(\.forms)
        let former = Set(forms.flatMap { $0.dropLast() }.map(\.text))
        let others = Set(forms.flatMap { $0 }.map(\.text))
        return definitions.contains { definition in
            let isNew = schema.model(named: definition.name) == nil
            return (isNew ? others : former).contains(definition.formText)
        } || embedded.contains { former.contains(definition(of: $0).formText) }
    }
}
