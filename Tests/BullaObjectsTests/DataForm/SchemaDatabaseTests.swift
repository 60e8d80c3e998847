import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A store of objects without its program` {
    private let scratch: Scratch
    private let program: ObjectDatabase
    private let database: SchemaDatabase

    init() throws {
        scratch = try Scratch()
        program = try ObjectDatabase.open(
            at: scratch.path("s"), key: StoreKind.gcm.key(), models: Company.self, Employee.self)
        database = try SchemaDatabase(program.store)
    }

    private func hire(_ number: Int, boss: Int? = nil, company: Company? = nil) throws {
        var employee = Employee(number: number, name: "n\(number)", age: 30)
        employee.boss = boss.map { Link(key: $0) }
        employee.company = company.map { Link($0) }
        let hired = employee
        try program.write { try $0.insert(hired) }
    }

    private func code(_ body: () throws -> Void) -> ObjectError.Code? { thrownError(body)?.code }

    @Test func `is opened, described and read by names`() throws {
        let company = Company(name: "Ur")
        try program.write { try $0.insert(company) }
        try hire(1, company: company)
        #expect(database.schema == program.schema)
        try database.read { snapshot in
            #expect(snapshot.schema.models.map(\.name) == ["Company", "Employee"])
            let fields = try #require(try snapshot.fetch("Employee", key: [.integer(1)]))
            #expect(fields["name"] == .scalar(.string("n1")))
            #expect(fields["company"] == .link([.uuid(company.id)]))
            #expect(fields["home"] == .null)
            #expect(fields["tags"] == .list([]))
            #expect(try snapshot.fetch("Employee", key: [.integer(2)]) == nil)
            #expect(
                code { _ = try snapshot.fetch("Employee", key: [.boolean(true)]) } == .invalidKey)
            #expect(code { _ = try snapshot.fetch("Nobody", key: []) } == .invalidModel)
        }
        var options = StoreOptions()
        options.creation = .ifMissing
        #expect(
            code { _ = try SchemaDatabase.open(at: scratch.path("none"), options: options) }
                == .store)
        #expect(!scratch.exists("none"))
        let empty = try SchemaDatabase(Store.open(at: scratch.path("empty")))
        #expect(empty.schema.models.isEmpty)
    }

    @Test func `is read and written by the program's own transactions, too`() throws {
        try program.write { transaction in
            try transaction.insert(
                ObjectFields(["number": .scalar(.integer(7)), "name": .scalar(.string("a"))]),
                into: "Employee")
            var fields = try #require(try transaction.fetch("Employee", key: [.integer(7)]))
            fields["age"] = .scalar(.integer(8))
            try transaction.upsert(fields, into: "Employee")
        }
        let employee = try program.read { try $0.fetch(Employee.self, key: 7) }
        #expect(employee == Employee(number: 7, name: "a", age: 8))
    }

    @Test func `is opened, read and written from tasks`() async throws {
        let path = scratch.path("s")
        let other = try await SchemaDatabase.open(at: path, key: StoreKind.gcm.key())
        try await other.write { transaction in
            let fields = ["number": ObjectValue.scalar(.integer(9)), "name": .scalar(.string("t"))]
            try transaction.insert(ObjectFields(fields), into: "Employee")
        }
        let name = try await database.read { snapshot in
            try snapshot.fetch("Employee", key: [.integer(9)])?["name"]
        }
        #expect(name == .scalar(.string("t")))
    }

    @Test func `keeps unique indexes, links that lead back, and delete rules`() throws {
        let company = Company(name: "Ur")
        try program.write { try $0.insert(company) }
        try hire(1, company: company)
        try hire(2, boss: 1)
        try hire(3, boss: 2)
        let twin = ObjectFields([
            "id": .scalar(.uuid(UUID())), "name": .scalar(.string("Ur")),
        ])
        #expect(
            code { try database.write { try $0.insert(twin, into: "Company") } } == .duplicateValue)
        try database.write { transaction in
            var fields = try #require(try transaction.fetch("Employee", key: [.integer(3)]))
            fields["company"] = .link([.uuid(company.id)])
            let isNew = try transaction.upsert(fields, into: "Employee")
            #expect(!isNew)
        }
        #expect(try program.read { try $0.count(of: company.staff.query) } == 2)
        try database.write { transaction in
            let isDeleted = try transaction.delete("Company", key: [.uuid(company.id)])
            let isDeletedAgain = try transaction.delete("Company", key: [.uuid(company.id)])
            #expect(isDeleted && !isDeletedAgain)
        }
        let left = try program.read { try $0.fetch(Employee.self, key: 3) }
        #expect(left?.company == nil)
        // The link to a boss cascades, so deleting a boss deletes all employees under it.
        let count = try database.write { transaction in
            try transaction.delete(TextQuery("Employee", where: "number = 1"))
        }
        #expect(count == 3)
        #expect(try program.read { try $0.count(of: Employee.all) } == 0)
    }

    @Test func `refuses what the schema does not have, and names the property`() throws {
        let number = ObjectValue.scalar(.integer(1))
        let cases: [([String: ObjectValue], String)] = [
            (["number": number, "x": .null], "Employee: it has no property of a given name"),
            (["number": number, "age": .scalar(.double(1))], "Employee.age: it cannot have"),
            (["number": number, "tags": .scalar(.string("a"))], "Employee.tags: it cannot have"),
            (["number": number, "tags": .list([.null])], "Employee.tags: it cannot have"),
            (["number": number, "boss": .link([.string("a")])], "Employee.boss: it cannot have"),
            (["number": number, "home": .embedded(["x": .null])], "Employee.home: it has no"),
            (
                ["number": number, "home": .embedded(["lines": .list([.list([])])])],
                "Employee.home.lines: it cannot have"
            ),
        ]
        for (values, message) in cases {
            let error = thrownError {
                try database.write { try $0.insert(ObjectFields(values), into: "Employee") }
            }
            #expect(error?.code == .invalidModel)
            #expect(error?.message.hasPrefix("write \(message)") == true, "\(error)")
        }
        #expect(
            code { try database.write { try $0.insert(ObjectFields(), into: "Employee") } }
                == .invalidKey)
        #expect(try program.read { try $0.count(of: Employee.all) } == 0)
    }

    @Test func `writes nothing once another program has changed the schema`() throws {
        try hire(1)
        let before = try database.makeSnapshot()
        _ = try ObjectDatabase(program.store, models: [Company.self, Employee.self, Member.self])
        #expect(code { try database.write { _ in } } == .schemaChanged)
        #expect(database.schema.models.count == 2)
        // Reading needs no model: a snapshot has the schema of its time.
        #expect(try database.read { $0.schema.models.count } == 3)
        #expect(before.schema.models.count == 2)
        #expect(code { try database.write { _ in } } == .schemaChanged)
        try database.refresh()
        try database.write { transaction in
            try transaction.insert(
                ObjectFields(["number": .scalar(.integer(1)), "name": .scalar(.string("a"))]),
                into: "Member")
        }
        #expect(try database.read { try $0.count(of: TextQuery("Member")) } == 1)
    }

    @Test func `keeps what retired properties hold, and what new ones began with`() throws {
        let path = scratch.path("people")
        let old = try ObjectDatabase.open(at: path, models: OldPeople.Person.self)
        let person = OldPeople.Person(id: 1, name: "a", label: "b", age: "c")
        try old.write { try $0.insert(person) }
        let newer = try ObjectDatabase(old.store, models: [ShorterPeople.Person.self])
        let untyped = try SchemaDatabase(old.store)
        let fields = ObjectFields(["id": .scalar(.integer(1)), "name": .scalar(.string("z"))])
        try untyped.write { try $0.upsert(fields, into: "Person") }
        let shorter = try newer.read { try $0.fetch(ShorterPeople.Person.self, key: 1) }
        #expect(shorter?.name == "z")
        // The fields omit `height`, which was added with the value 2, so it has that value.
        #expect(shorter?.height == 2)
        let table = try #require(_ObjectBindings(untyped.schema).tables[1])
        let label = try #require(table.model.properties.first { $0.name == "label" })
        #expect(label.isRetired)
        let snapshot = try untyped.makeSnapshot()
        let bytes = try table.model.key(of: [.integer(1)]).withView { key in
            try snapshot.withObject(key, in: table) { object throws(ObjectError) in
                try table.layout.withValue(label.number, of: object) { $0?.copied() }
            }
        }
        #expect(bytes == Array("b".utf8))
    }
}

/// People without a label, and with a height that was added later.
private enum ShorterPeople {
    struct Person: PersonVersion {
        var id: Int
        var name: String
        var height: Int

        struct Columns: Sendable { let id = Column<Person, Int>(0) }

        static let columns = Columns()
        static let modelDefinition = ModelDefinition(
            modelName,
            properties: [
                PropertyDefinition("id", Int.self), PropertyDefinition("name", String.self),
                PropertyDefinition("height") { 2 },
            ], key: [0])

        init(from stored: borrowing StoredObject) throws(ObjectError) {
            id = try stored.read(at: 0)
            name = try stored.read(at: 1)
            height = try stored.read(at: 2)
        }

        func write(to draft: inout ObjectDraft) throws(ObjectError) {
            try draft.write(id, at: 0)
            try draft.write(name, at: 1)
            try draft.write(height, at: 2)
        }
    }
}
