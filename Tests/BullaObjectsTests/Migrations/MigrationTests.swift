import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A migration` {
    private let scratch: Scratch
    private let store: Store
    /// More objects than a migration has in memory at a time.
    private static let count = 600

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("people.bulla"), key: StoreKind.gcm.key())
        let database = try ObjectDatabase(store, models: [OldPeople.Person.self])
        try database.write { transaction in
            for id in 0..<Self.count {
                try transaction.insert(
                    OldPeople.Person(
                        id: id, name: "Ada \(id % 10)", label: "l\(id)", age: "\(id + 20)"))
            }
        }
    }

    private func open(
        _ migrations: [Migration] = [NewPeople.names, NewPeople.ages]
    ) throws -> ObjectDatabase {
        try ObjectDatabase(store, models: [NewPeople.Person.self], migrations: migrations)
    }

    /// Expects that the old program finds everything unchanged.
    private func expectOld() throws {
        let database = try ObjectDatabase(store, models: [OldPeople.Person.self])
        #expect(database.schema.generation == 1)
        try database.read { snapshot in
            #expect(try snapshot.count(of: OldPeople.Person.all) == Self.count)
            let person = try snapshot.fetch(OldPeople.Person.self, key: 17)
            #expect(
                person == OldPeople.Person(id: 17, name: "Ada 7", label: "l17", age: "37"))
        }
        #expect(try store.check().isSound)
    }

    @Test func `makes of what objects had what they have`() throws {
        let database = try open()
        try database.read { snapshot in
            #expect(try snapshot.count(of: NewPeople.Person.all) == Self.count)
            let person = try #require(try snapshot.fetch(NewPeople.Person.self, key: 17))
            #expect(person.first == "Ada" && person.last == "7" && person.title == "l17")
            #expect(person.age == 37 && person.weight == 1.5 && person.nick == nil)
            let sevens = NewPeople.Person.where { $0.last == "7" }
            #expect(try snapshot.count(of: sevens) == Self.count / 10)
            #expect(try snapshot.explain(sevens).contains("the index of Person.last"))
        }
        #expect(database.schema.migrations == ["names in two parts", "ages are numbers"])
        // The trees of the schema, of the model, and of its index.
        var treeCount = 0
        try store.read { try $0.forEachTree { _, _ in treeCount += 1 } }
        #expect(treeCount == 3)
        #expect(try store.check().isSound)
    }

    @Test func `runs once, and not in a store that is new`() throws {
        _ = try open()
        let fails = Migration("names in two parts", of: NewPeople.Person.self) { _, _ in
            throw Refusal()
        }
        #expect(try open([fails, NewPeople.ages]).schema.generation == 2)
        let fresh = try Store.open(at: scratch.path("fresh.bulla"), key: StoreKind.gcm.key())
        let database = try ObjectDatabase(
            fresh, models: [NewPeople.Person.self], migrations: [fails])
        #expect(database.schema.migrations == ["names in two parts"])
    }

    @Test func `is asked for where the models need one, and names what they need`() throws {
        let error = try #require(throws: ObjectError.self) { try open([]) }
        #expect(error.code == .migrationNeeded)
        #expect(error.message.contains("Person."))
        let missing = try #require(throws: ObjectError.self) { try open([NewPeople.names]) }
        #expect(missing.code == .migrationNeeded)
        #expect(missing.message.contains("Person 0: no migration has set age"))
        try expectOld()
    }

    @Test func `that throws leaves the store as it was`() throws {
        let fails = Migration("late", of: NewPeople.Person.self) { person, _ in
            if try person.value("id") == 500 { throw Refusal() }
        }
        let error = try #require(throws: ObjectError.self) {
            try open([NewPeople.names, NewPeople.ages, fails])
        }
        #expect(error.code == .migrationFailed)
        #expect(error.message.contains("Person, late"))
        try expectOld()
    }

    @Test func `that makes what is to be unique the same leaves the store as it was`() throws {
        let same = Migration("titles", of: NewPeople.Person.self) { person, _ in
            try person.set("last", to: "same")
        }
        var update = SchemaUpdate(
            try SchemaMatch(
                [NewPeople.Person.made(isUnique: true)],
                to: store.read { try SchemaTree.read($0) }, keyByteLimit: 1024,
                migrations: [NewPeople.names, NewPeople.ages, same]))
        let error = try #require(throws: ObjectError.self) {
            try update.run(try store.beginWrite())
        }
        #expect(error.code == .duplicateValue)
        try expectOld()
    }

    @Test func `finds what one before it has set, and may change the key and delete`() throws {
        let database = try ObjectDatabase(
            store, models: [ShortPeople.Person.self],
            migrations: [
                NewPeople.names, NewPeople.ages,
                Migration("odd ones go", of: ShortPeople.Person.self) { person, _ in
                    if try person.value("id", as: Int.self) % 2 == 1 {
                        try person.set("first", to: "")
                        try person.set("last", to: "")
                    }
                }, ShortPeople.initials,
            ])
        try database.read { snapshot in
            let even = try snapshot.fetch(ShortPeople.Person.self, key: ModelKey("A6", 16))
            let odd = try snapshot.fetch(ShortPeople.Person.self, key: ModelKey("A7", 17))
            #expect(even != nil && odd == nil)
            #expect(try snapshot.count(of: ShortPeople.Person.all) == Self.count / 2)
        }
        #expect(try store.check().isSound)
    }

    @Test func `does not make a key of what is damaged`() throws {
        let store = try Store.open(at: scratch.path("keys.bulla"), key: StoreKind.gcm.key())
        func update(key: [Int], _ steps: [Migration] = []) throws -> _ObjectBindings {
            let properties = [PropertyDefinition("id", Int.self), .init("mark", Int.self)]
            let transaction = try store.beginWrite()
            var update = SchemaUpdate(
                try SchemaMatch(
                    [ModelDefinition("Thing", properties: properties, key: key)],
                    to: SchemaTree.read(transaction), keyByteLimit: 1024, migrations: steps))
            try update.run(transaction)
            return update.bindings
        }
        let bindings = try update(key: [0])
        var draft = RowDraft()
        draft.begin(count: 2)
        // The property begins like a number of one byte, but that byte is missing.
        draft.set(1) { $0.append(OrderedInteger.zeroByte + 1) }
        let row = try #require(draft.bytes())
        var transaction = ObjectTransaction(try store.beginWrite(), bindings)
        let table = try bindings.table(named: "Thing")
        let key = try table.key(of: [.integer(1)])
        try key.withView { key in
            try row.withView { row in try transaction.insert(key, row, into: table) }
        }
        try transaction.commit()
        let rekeying = Migration("by mark", model: "Thing") { _, _ in }
        let error = #expect(throws: ObjectError.self) { try update(key: [1, 0], [rekeying]) }
        #expect(error?.code == .damaged)
    }

    @Test func `sets the property that has a name now, not the one that had it once`() throws {
        let store = try Store.open(at: scratch.path("names.bulla"), key: StoreKind.gcm.key())
        func update(_ properties: [PropertyDefinition], _ steps: [Migration] = []) throws {
            let transaction = try store.beginWrite()
            let definition = ModelDefinition(
                "Thing", properties: [PropertyDefinition("id", Int.self)] + properties, key: [0])
            var update = SchemaUpdate(
                try SchemaMatch(
                    [definition], to: SchemaTree.read(transaction), keyByteLimit: 1024,
                    migrations: steps))
            try update.run(transaction)
        }
        try update([PropertyDefinition("mark", Int.self)])
        let fields = ["id": ObjectValue.scalar(.integer(1)), "mark": .scalar(.integer(5))]
        try SchemaDatabase(store).write { try $0.insert(ObjectFields(fields), into: "Thing") }
        let renamed = PropertyDefinition("grade", Int.self, formerName: "mark")
        try update([renamed])
        let marks = Migration("marks", model: "Thing") { thing, _ in try thing.set("mark", to: 7) }
        try update([renamed, PropertyDefinition("mark", Int.self)], [marks])
        let thing = try SchemaDatabase(store).read { try $0.fetch("Thing", key: [.integer(1)]) }
        #expect(thing?["grade"] == .scalar(.integer(5)))
        #expect(thing?["mark"] == .scalar(.integer(7)))
    }

    @Test func `may not change a key that others refer to`() throws {
        let firm = try Store.open(at: scratch.path("firm.bulla"), key: StoreKind.gcm.key())
        _ = try ObjectDatabase(firm, models: [Company.self, Employee.self])
        let definition = ModelDefinition(
            Company.modelName,
            properties: [
                PropertyDefinition("id", UUID.self), PropertyDefinition("name", String.self),
            ], key: [1])
        let error = try #require(throws: ObjectError.self) {
            try SchemaMatch(
                [definition, Employee.modelDefinition],
                to: firm.read { try SchemaTree.read($0) }, keyByteLimit: 1024,
                migrations: [Migration("by name", of: Company.self) { _, _ in }])
        }
        #expect(error.code == .migrationNeeded)
        #expect(error.message.contains("refers to it"))
    }

    @Test func `may insert objects of other models`() throws {
        let database = try ObjectDatabase(
            store, models: [NewPeople.Person.self, Company.self],
            migrations: [
                NewPeople.names, NewPeople.ages,
                Migration("firms", of: NewPeople.Person.self) { person, transaction in
                    let id = try person.value("id", as: Int.self)
                    if id % 100 == 0 { try transaction.insert(Company(name: "firm \(id)")) }
                },
            ])
        let count = try database.read { try $0.count(of: Company.all) }
        #expect(count == Self.count / 100)
    }

    @Test func `finds other models by indexes that came with it, but none that is not whole`()
        throws
    {
        let firms = Migration("firms", of: Company.self) { company, transaction in
            let name = try company.value("name", as: String.self)
            _ = try transaction.fetch(NewPeople.Person.where { $0.last == name })
        }
        let finds = Migration("finds", of: NewPeople.Person.self) { _, transaction in
            guard try transaction.count(of: Company.where { $0.name == "Ur" }) == 1 else {
                throw Refusal()
            }
        }
        let both = try ObjectDatabase(store, models: [OldPeople.Person.self, Company.self])
        try both.write { try $0.insert(Company(name: "Ur")) }
        let steps = [NewPeople.names, NewPeople.ages, finds]
        // Companies are migrated first, when the people have not been migrated yet.
        let error = #expect(throws: ObjectError.self) {
            try ObjectDatabase(
                store, models: [Company.self, NewPeople.Person.self], migrations: steps + [firms])
        }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains("Person: it is migrated after") == true)
        #expect(throws: Never.self) {
            try ObjectDatabase(
                store, models: [Company.self, NewPeople.Person.self], migrations: steps)
        }
    }

    @Test func `has what it deletes treated as links to it say`() throws {
        let firm = try Store.open(at: scratch.path("firm.bulla"), key: StoreKind.gcm.key())
        let models: [any Model.Type] = [Company.self, Employee.self]
        let database = try ObjectDatabase(firm, models: models)
        let company = Company(name: "Ur")
        try database.write { transaction in
            try transaction.insert(company)
            var employee = Employee(number: 1, name: "a")
            employee.company = Link(company)
            try transaction.insert(employee)
            var lower = Employee(number: 2, name: "b")
            lower.boss = Link(employee)
            try transaction.insert(lower)
        }
        let goes = Migration("goes", of: Company.self) { company, _ in company.delete() }
        let migrated = try ObjectDatabase(firm, models: models, migrations: [goes])
        #expect(try migrated.read { try $0.fetch(Employee.self, key: 1)?.company } == nil)
        let first = Migration("first", of: Employee.self) { employee, _ in
            if try employee.value("number", as: Int.self) == 1 { employee.delete() }
        }
        // The boss is deleted, and with it everybody whose link to it cascades.
        let last = try ObjectDatabase(firm, models: models, migrations: [goes, first])
        #expect(try last.read { try $0.count(of: Employee.all) } == 0)
        #expect(try firm.check().isSound)
    }

    @Test func `sets under a former name what is renamed, and reads what has gone`() throws {
        // The program between the two declares no name, but the former values are still in the
        // store.
        _ = try ObjectDatabase(store, models: [NamelessPeople.Person.self])
        let database = try open([
            NewPeople.names, NewPeople.ages,
            Migration("labels", of: NewPeople.Person.self) { person, _ in
                try person.set("label", to: "set")
            },
        ])
        let person = try database.read { try $0.fetch(NewPeople.Person.self, key: 17) }
        #expect(person?.last == "7" && person?.title == "set" && person?.age == 37)
    }

    @Test func `refuses properties that are not there, or of another type`() throws {
        for (name, message) in [("none", "no property"), ("label", "another type")] {
            let asks = Migration("asks", of: NewPeople.Person.self) { person, _ in
                _ = try person.value(name, as: Int.self)
            }
            let error = try #require(throws: ObjectError.self) { try open([asks]) }
            #expect(error.code == .migrationNeeded)
            #expect(error.message.contains(message))
        }
        let sets = Migration("sets", of: NewPeople.Person.self) { person, _ in
            try person.set("nick", to: 7)
        }
        let error = try #require(throws: ObjectError.self) {
            try open([NewPeople.names, NewPeople.ages, sets])
        }
        #expect(error.message.contains("nick is of another type"))
        try expectOld()
    }

    private struct Refusal: Error {}
}
