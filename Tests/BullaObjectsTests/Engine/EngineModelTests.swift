import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `Objects of random schemas` {
    private static let operationCount = TestMode.pick(short: 400, long: 20_000)

    @Test(arguments: TestMode.seeds(6), [StoreKind.gcm, .plain])
    func `are what plain dictionaries hold, and so is what queries find`(
        seed: UInt64, kind: StoreKind
    ) throws {
        var run = try ObjectRun(seed: seed, kind)
        for _ in 0..<Self.operationCount { try run.step() }
        try run.checkAll()
    }
}

/// A store of objects, and what it must hold.
struct ObjectRun {
    private let store: Store
    private let scratch: Scratch
    private let schema: DatabaseSchema
    private let bindings: ObjectBindings
    /// The same models, without an index that no link needs: what is found must not differ.
    private let bare: ObjectBindings
    private var oracle: Oracle
    private var random: TestRandom

    init(seed: UInt64, _ kind: StoreKind) throws {
        random = TestRandom(seed: seed)
        scratch = try Scratch()
        var options = StoreOptions()
        options.suite = kind.suite
        store = try Store.open(
            at: scratch.path("objects.bulla"), key: kind.key(), options: options)
        var schema = RandomSchema.draw(&random)
        schema.keyByteLimit = try store.info.keyByteLimit
        try schema.check()
        self.schema = schema
        bindings = ObjectBindings(schema)
        var bare = schema
        for index in bare.models.indices {
            let links = bare.models[index].properties.filter { property in
                if case .link = property.kind { true } else { false }
            }
            bare.models[index].indexes.removeAll { index in
                !links.contains { [$0.number] == index.properties }
            }
        }
        self.bare = ObjectBindings(bare)
        oracle = Oracle(schema)
        let numbers = schema.models.map(\.number) + schema.models.flatMap(\.indexes).map(\.number)
        try store.write { transaction in
            for number in numbers {
                _ = try transaction.createTree(named: ObjectTable.treeName(number))
            }
        }
    }

    mutating func step() throws {
        let model = random.pick(schema.models)
        let places = oracle.places(of: model)
        switch random.below(10) {
        case 0...3 where places.count < 60: try insert(into: model)
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
        let isDeleted = oracle.delete(place)
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

    /// - Returns: the code of what was thrown.
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

    private mutating func query(_ model: ModelSchema) throws {
        let condition = Condition.draw(of: model, oracle, &random)
        var selection = Selection(filter: condition.filter(oracle))
        let sortable = model.properties.filter { property in
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
        let fitting = oracle.places(of: model).filter { condition.holds($0, oracle) }
        for bindings in [bindings, bare] {
            let found = try find(selection, model, bindings)
            #expect(Set(found).count == found.count)
            #expect(found.count == min(fitting.count, selection.limit ?? .max), "\(condition)")
            #expect(found.allSatisfy { fitting.map(\.key).contains($0) }, "\(condition)")
            guard !sorting.isEmpty else { continue }
            let sorted = fitting.sorted { isBefore($0, $1, sorting) }.prefix(found.count)
            #expect(found == sorted.map(\.key), "\(condition)")
        }
    }

    private func find(
        _ selection: Selection, _ model: ModelSchema, _ bindings: ObjectBindings
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

    private func isBefore(
        _ one: Oracle.Place, _ other: Oracle.Place, _ sorting: [(PropertySchema, Bool)]
    ) -> Bool {
        for (property, isDescending) in sorting {
            let values = [one, other].map {
                Condition.scalar([property], oracle.objects[$0] ?? ObjectFields(), oracle)
                    .map { SampleValue(scalar: $0) }
            }
            let order = SampleValue.order([values[0]], [values[1]])
            if order != 0 { return (order < 0) != isDescending }
        }
        let order = SampleValue.order(
            one.key.map { SampleValue(scalar: $0) }, other.key.map { SampleValue(scalar: $0) })
        return (order < 0) != (sorting.last?.1 ?? false)
    }

    /// Every object, property by property, and every index, entry by entry.
    func checkAll() throws {
        let reader = ObjectSnapshot(try store.makeSnapshot(visibility: .published), bindings)
        for model in schema.models {
            let table = try #require(bindings.tables[model.number])
            #expect(try reader.count(of: model.number) == oracle.places(of: model).count)
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
                #expect(try reader.count(of: index.number) == entries[index.number] ?? 0)
            }
        }
    }
}
