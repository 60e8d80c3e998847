import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

/// The first of three versions of a program, which all declare the same model.
private enum First {
    struct Thing: Model {
        var id: Int
        var label: String

        struct Columns: Sendable {
            let id = Column<Thing, Int>(0)
            let label = Column<Thing, String>(1)
        }

        static let columns = Columns()
        static let modelName = "Thing"
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("id", Int.self), PropertyDefinition("label", String.self),
            ], key: [0])

        var modelKey: ModelKey<Int> { ModelKey(id) }

        init(id: Int, label: String) { (self.id, self.label) = (id, label) }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
            label = try stored.read(at: 1)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(id, at: 0)
            try draft.write(label, at: 1)
        }
    }
}

/// The second version has one more property, before the others; the label is renamed to title, can
/// be nil, and has an index.
private enum Second {
    struct Thing: Model {
        var weight: Double
        var id: Int
        var title: String?

        struct Columns: Sendable {
            let weight = Column<Thing, Double>(0)
            let id = Column<Thing, Int>(1)
            let title = Column<Thing, String?>(2)
        }

        static let columns = Columns()
        static let modelName = "Thing"
        static let modelDefinition = made(isUnique: false)

        static func made(isUnique: Bool) -> ModelDefinition {
            ModelDefinition(
                modelName,
                properties: [
                    PropertyDefinition("weight", initial: { 1.5 }),
                    PropertyDefinition("id", Int.self),
                    PropertyDefinition("title", String?.self, formerName: "label"),
                ], key: [1], indexes: [IndexDefinition(2, isUnique: isUnique)])
        }

        var modelKey: ModelKey<Int> { ModelKey(id) }

        init(weight: Double, id: Int, title: String?) {
            (self.weight, self.id, self.title) = (weight, id, title)
        }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            weight = try stored.read(at: 0)
            id = try stored.read(at: 1)
            title = try stored.read(at: 2)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(weight, at: 0)
            try draft.write(id, at: 1)
            try draft.write(title, at: 2)
        }
    }
}

/// The third version no longer has a label.
private enum Fewer {
    struct Thing: Model {
        var id: Int

        struct Columns: Sendable { let id = Column<Thing, Int>(0) }

        static let columns = Columns()
        static let modelName = "Thing"
        static let modelDefinition = ModelDefinition(
            modelName, properties: [PropertyDefinition("id", Int.self)], key: [0])

        var modelKey: ModelKey<Int> { ModelKey(id) }

        init(id: Int) { self.id = id }

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) { try draft.write(id, at: 0) }
    }
}

@Suite struct `A schema that changes` {
    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("things.bulla"), key: StoreKind.gcm.key())
        let database = try ObjectDatabase(store, models: [First.Thing.self])
        try database.write { transaction in
            for id in 0..<600 {
                try transaction.insert(First.Thing(id: id, label: "n\(id / 2)"))
            }
        }
    }

    @Test func `keeps what is there: a new property has its value, a renamed one its own`() throws {
        let database = try ObjectDatabase(store, models: [Second.Thing.self])
        try database.read { snapshot in
            let thing = try #require(try snapshot.fetch(Second.Thing.self, key: 7))
            #expect(thing.weight == 1.5)
            #expect(thing.title == "n3")
            let query = Second.Thing.where { $0.title == "n3" }
            #expect(try snapshot.fetch(query).map(\.id) == [6, 7])
            #expect(try snapshot.explain(query).contains("the index of Thing.title"))
            #expect(try snapshot.count(of: Second.Thing.where { $0.weight == 1.5 }) == 600)
        }
        #expect(database.schema.generation == 2)
    }

    @Test func `writes what is new beside what was there`() throws {
        let database = try ObjectDatabase(store, models: [Second.Thing.self])
        try database.write { transaction in
            try transaction.insert(Second.Thing(weight: 2, id: 1_000, title: nil))
            try transaction.update(Second.Thing.self, key: 0) { $0.title = "" }
        }
        try database.read { snapshot in
            let count = try snapshot.count(of: Second.Thing.where { $0.title == nil })
            #expect(count == 1)
            #expect(try snapshot.first(of: Second.Thing.where { $0.title == "" })?.id == 0)
        }
    }

    @Test func `rebuilds an index where a property may be nil from now on`() throws {
        func definition(_ name: PropertyDefinition) -> ModelDefinition {
            ModelDefinition(
                "Thing", properties: [PropertyDefinition("id", Int.self), name], key: [0],
                indexes: [IndexDefinition(1)])
        }
        let before = try SchemaMatch(
            [definition(PropertyDefinition("label", String.self))], to: DatabaseSchema(),
            keyByteLimit: 1024)
        let after = try SchemaMatch(
            [definition(PropertyDefinition("label", String?.self))], to: before.schema,
            keyByteLimit: 1024)
        #expect(after.goneIndexes == before.newIndexes.map(\.index.number))
        #expect(after.newIndexes.count == 1)
    }

    @Test func `takes a former name only where nothing else bears it`() throws {
        let before = try SchemaMatch(
            [
                ModelDefinition(
                    "Thing",
                    properties: [
                        PropertyDefinition("id", Int.self), PropertyDefinition("name", String.self),
                    ], key: [0])
            ], to: DatabaseSchema(), keyByteLimit: 1024)
        let after = try SchemaMatch(
            [
                ModelDefinition(
                    "Thing",
                    properties: [
                        PropertyDefinition("id", Int.self), PropertyDefinition("name", String.self),
                        PropertyDefinition("title", initial: { "" }, formerName: "name"),
                    ], key: [0])
            ], to: before.schema, keyByteLimit: 1024)
        #expect(after.models["Thing"] == [0, 1, 2])
    }

    @Test func `keeps what a retired property had, when the object is changed`() throws {
        let fewer = try ObjectDatabase(store, models: [Fewer.Thing.self])
        try fewer.write { try $0.upsert(Fewer.Thing(id: 3)) }
        let row = try fewer.read { snapshot in
            let table = try #require(fewer.schema.models.first)
            let key = try table.key(of: [.integer(3)])
            return try key.withView { key in
                var bytes: [UInt8]?
                _ = try snapshot.visitEntry(key, in: table.number) { bytes = $0.copied() }
                return bytes
            }
        }
        let bytes = try #require(row)
        bytes.withView { view in
            guard case .value(let label)? = Row(view)?[1] else {
                Issue.record("the label has gone")
                return
            }
            #expect(label.text == "n1")
        }
    }

    @Test func `is refused by a database that was opened before`() throws {
        let former = try ObjectDatabase(store, models: [First.Thing.self])
        _ = try ObjectDatabase(store, models: [Second.Thing.self])
        let error = #expect(throws: ObjectError.self) { _ = try former.makeSnapshot() }
        #expect(error?.code == .schemaChanged)
        let other = #expect(throws: ObjectError.self) {
            try former.write { try $0.insert(First.Thing(id: 9_999, label: "")) }
        }
        #expect(other?.code == .schemaChanged)
    }

    @Test func `stays as it was where an index is to be unique, and objects are not`() throws {
        let before = try ObjectDatabase(store, models: [First.Thing.self]).schema
        var update = SchemaUpdate(
            try SchemaMatch([Second.Thing.made(isUnique: true)], to: before, keyByteLimit: 1024))
        let error = #expect(throws: ObjectError.self) { try update.run(store.beginWrite()) }
        #expect(error?.code == .duplicateValue)
        let database = try ObjectDatabase(store, models: [First.Thing.self])
        #expect(database.schema == before)
        #expect(try database.read { try $0.count(of: First.Thing.all) } == 600)
    }

    @Test func `is not changed twice, and not by the same models again`() throws {
        let one = try ObjectDatabase(store, models: [Second.Thing.self])
        let other = try ObjectDatabase(store, models: [Second.Thing.self])
        #expect(one.schema == other.schema)
        #expect(try other.read { try $0.count(of: Second.Thing.all) } == 600)
    }

    @Test func `needs a decision where a property has no value for what is there`() throws {
        let definition = ModelDefinition(
            "Thing",
            properties: [
                PropertyDefinition("id", Int.self), PropertyDefinition("label", String.self),
                PropertyDefinition("weight", Double.self),
            ], key: [0])
        let schema = try ObjectDatabase(store, models: [First.Thing.self]).schema
        let error = #expect(throws: ObjectError.self) {
            try SchemaMatch([definition], to: schema, keyByteLimit: 1024)
        }
        #expect(error?.code == .migrationNeeded)
        #expect(error?.message.contains("Thing.weight") == true)
    }

    @Test func `needs a decision where a property is of another type, or the key is another`()
        throws
    {
        let schema = try ObjectDatabase(store, models: [First.Thing.self]).schema
        for (properties, key) in [
            ([PropertyDefinition("id", Int.self), PropertyDefinition("label", Int.self)], [0]),
            ([PropertyDefinition("id", Int.self), PropertyDefinition("label", String.self)], [1]),
        ] {
            let error = #expect(throws: ObjectError.self) {
                try SchemaMatch(
                    [ModelDefinition("Thing", properties: properties, key: key)], to: schema,
                    keyByteLimit: 1024)
            }
            #expect(error?.code == .migrationNeeded)
        }
    }

    @Test func `keeps the numbers of what has gone, and gives a new one to what comes again`()
        throws
    {
        let schema = try ObjectDatabase(store, models: [First.Thing.self]).schema
        let id = PropertyDefinition("id", Int.self)
        let without = try SchemaMatch(
            [ModelDefinition("Thing", properties: [id], key: [0])], to: schema, keyByteLimit: 1024)
        #expect(without.schema.models[0].properties.map(\.isRetired) == [false, true])
        let again = try SchemaMatch(
            [
                ModelDefinition(
                    "Thing", properties: [id, PropertyDefinition("label", String?.self)],
                    key: [0])
            ], to: without.schema, keyByteLimit: 1024)
        #expect(again.models["Thing"] == [0, 2])
    }

    @Test func `cannot have an index of what has none, or of two lists`() {
        let id = PropertyDefinition("id", Int.self)
        let lists = [
            PropertyDefinition("tags", [String].self), PropertyDefinition("parts", [Int].self),
            PropertyDefinition("names", [String: Int].self),
        ]
        for index in [
            IndexDefinition(1, 2), IndexDefinition(3), IndexDefinition(1, isUnique: true),
        ] {
            let error = #expect(throws: ObjectError.self) {
                try SchemaMatch(
                    [
                        ModelDefinition(
                            "Thing", properties: [id] + lists, key: [0], indexes: [index])
                    ], to: DatabaseSchema(), keyByteLimit: 1024)
            }
            #expect(error?.code == .invalidModel)
        }
    }
}
