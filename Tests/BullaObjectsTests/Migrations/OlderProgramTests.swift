import Bulla
import BullaObjects
import BullaTestSupport
import Testing

/// People with only two properties: the identifier, as in `OldPeople`, and a nickname.
enum NamelessPeople {
    struct Person: PersonVersion, Hashable {
        var id: Int
        var nick: String?

        struct Columns: Sendable { let id = Column<Person, Int>(0) }

        static let columns = Columns()
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("id", Int.self), PropertyDefinition("nick", String?.self),
            ], key: [0])

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
            nick = try stored.read(at: 1)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(id, at: 0)
            try draft.write(nick, at: 1)
        }
    }
}

/// A program that renames one property and adds one; everything that an old program knows stays.
private enum LongerPeople {
    struct Person: PersonVersion, Hashable {
        var id: Int
        var name: String
        var title: String
        var age: String
        var height = 2

        struct Columns: Sendable { let id = Column<Person, Int>(0) }

        static let columns = Columns()
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("height") { 2 }, PropertyDefinition("id", Int.self),
                PropertyDefinition("name", String.self),
                PropertyDefinition("title", String.self, formerName: "label"),
                PropertyDefinition("age", String.self),
            ], key: [1])

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            height = try stored.read(at: 0)
            id = try stored.read(at: 1)
            name = try stored.read(at: 2)
            title = try stored.read(at: 3)
            age = try stored.read(at: 4)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(height, at: 0)
            try draft.write(id, at: 1)
            try draft.write(name, at: 2)
            try draft.write(title, at: 3)
            try draft.write(age, at: 4)
        }
    }
}

@Suite struct `A program that is older than the store` {
    private let scratch: Scratch
    private let store: Store
    private let old: ObjectDatabase
    private let person = OldPeople.Person(id: 7, name: "Ada", label: "l", age: "37")

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("people.bulla"), key: StoreKind.gcm.key())
        old = try ObjectDatabase(
            store, models: [OldPeople.Person.self], ifNewer: .readOnly)
        let person = person
        try old.write { try $0.insert(person) }
    }

    private func openOld(_ newer: ObjectDatabase.NewerSchema) throws -> ObjectDatabase {
        try ObjectDatabase(store, models: [OldPeople.Person.self], ifNewer: newer)
    }

    @Test func `gets an error, and changes nothing`() throws {
        let new = try ObjectDatabase(store, models: [LongerPeople.Person.self])
        let error = try #require(throws: ObjectError.self) { try openOld(.refuse) }
        #expect(error.code == .schemaChanged)
        // The new program's properties are all still there.
        try new.write { transaction in
            let wasThere = try transaction.update(LongerPeople.Person.self, key: 7) {
                $0.height = 9
            }
            #expect(wasThere)
        }
        let again = try ObjectDatabase(store, models: [LongerPeople.Person.self])
        #expect(again.schema == new.schema)
        #expect(try again.read { try $0.fetch(LongerPeople.Person.self, key: 7)?.height } == 9)
    }

    @Test(arguments: [true, false])
    func `reads on what it knows, and does not write`(opensAgain: Bool) throws {
        let new = try ObjectDatabase(store, models: [LongerPeople.Person.self])
        try new.write { transaction in
            try transaction.update(LongerPeople.Person.self, key: 7) { $0.title = "new" }
        }
        let old = try opensAgain ? openOld(.readOnly) : old
        var expected = person
        expected.label = "new"
        #expect(try old.read { try $0.fetch(OldPeople.Person.self, key: 7) } == expected)
        let error = try #require(throws: ObjectError.self) {
            try old.write { try $0.delete(OldPeople.Person.self, key: 7) }
        }
        #expect(error.code == .readOnly)
    }

    @Test func `that was opened without an error reads nothing`() throws {
        let strict = try openOld(.refuse)
        _ = try ObjectDatabase(store, models: [LongerPeople.Person.self])
        for attempt in [
            { _ = try strict.read { try $0.count(of: OldPeople.Person.all) } },
            { _ = try strict.write { try $0.delete(OldPeople.Person.self, key: 7) } },
        ] {
            let error = try #require(throws: ObjectError.self, performing: attempt)
            #expect(error.code == .schemaChanged)
        }
    }

    @Test func `reads nothing where what it knows has gone or is of another type`() throws {
        _ = try ObjectDatabase(
            store, models: [NewPeople.Person.self], migrations: [NewPeople.names, NewPeople.ages])
        let error = try #require(throws: ObjectError.self) {
            try old.read { try $0.fetch(OldPeople.Person.self, key: 7) }
        }
        #expect(error.code == .schemaChanged)
        #expect(error.message.contains("Person.name"))
    }

    @Test func `becomes the newer one again by a migration`() throws {
        _ = try ObjectDatabase(store, models: [LongerPeople.Person.self])
        let back = Migration("back", of: OldPeople.Person.self) { person, _ in
            try person.set("label", to: person.value("title", as: String.self))
        }
        let database = try ObjectDatabase(
            store, models: [OldPeople.Person.self], migrations: [back])
        #expect(try database.read { try $0.fetch(OldPeople.Person.self, key: 7) } == person)
        let error = try #require(throws: ObjectError.self) {
            try ObjectDatabase(store, models: [LongerPeople.Person.self])
        }
        #expect(error.code == .schemaChanged)
    }
}

@Suite struct `Pruning a schema` {
    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("people.bulla"), key: StoreKind.gcm.key())
        let database = try ObjectDatabase(store, models: [OldPeople.Person.self])
        try database.write { transaction in
            for id in 0..<600 {
                try transaction.insert(
                    OldPeople.Person(
                        id: id, name: String(repeating: "x", count: 100), label: "", age: ""))
            }
        }
    }

    @Test func `takes out of rows what no model has, and uses no number again`() throws {
        let database = try ObjectDatabase(store, models: [NamelessPeople.Person.self])
        try database.write { transaction in
            try transaction.update(NamelessPeople.Person.self, key: 7) { $0.nick = "n" }
        }
        let before = try rowByteCount()
        let other = try ObjectDatabase(store, models: [NamelessPeople.Person.self])
        #expect(try database.pruneSchema())
        #expect(try rowByteCount() < before / 2)
        #expect(try !database.pruneSchema())
        // What another database of the same program knows of the schema is still valid.
        #expect(try other.read { try $0.fetch(NamelessPeople.Person.self, key: 7)?.nick } == "n")
        try other.write { transaction in
            try transaction.update(NamelessPeople.Person.self, key: 8) { $0.nick = "m" }
        }
        let properties = try #require(database.schema.model(named: "Person")).properties
        #expect(properties.map(\.number) == [0, 4])
        #expect(try database.read { try $0.fetch(NamelessPeople.Person.self, key: 7)?.nick } == "n")
        #expect(try database.read { try $0.count(of: NamelessPeople.Person.all) } == 600)
        #expect(try store.check().isSound)
    }

    @Test func `does not block the threads that tasks share`() async throws {
        let database = try await ObjectDatabase(store, models: [NamelessPeople.Person.self])
        let before = try rowByteCount()
        let untyped = try await SchemaDatabase(store)
        #expect(try await database.pruneSchema())
        #expect(try await !database.pruneSchema())
        #expect(try rowByteCount() < before / 2)
        #expect(untyped.schema.generation < database.schema.generation)
        try await untyped.refresh()
        #expect(untyped.schema.generation == database.schema.generation)
    }

    private func rowByteCount() throws -> Int {
        try store.read { snapshot in
            let tree = try #require(
                try snapshot.treeIfPresent(named: ObjectTable.treeName(1)))
            var sum = 0
            try snapshot.scan(tree) { _, row in
                sum += row.byteCount
                return .next
            }
            return sum
        }
    }
}
