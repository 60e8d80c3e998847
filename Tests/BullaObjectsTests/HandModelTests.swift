import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

enum Badge: Int, Storable { case plain, gold }

struct Company: Model, Hashable {
    var id = UUID()
    var name: String

    struct Columns: Sendable {
        let id = Column<Company, UUID>(0)
        let name = Column<Company, String>(1)
        let staff = BacklinksColumn<Company, Employee>("company")
    }

    static let columns = Columns()
    static let modelName = "Company"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [PropertyDefinition("id", UUID.self), PropertyDefinition("name", String.self)],
        key: [0], indexes: [IndexDefinition(1, isUnique: true)])

    var modelKey: ModelKey<UUID> { ModelKey(id) }
    var staff: Backlinks<Employee> { Backlinks(to: self, by: \.company) }

    init(id: UUID = UUID(), name: String) { (self.id, self.name) = (id, name) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        id = try stored.read(at: 0)
        name = try stored.read(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(id, at: 0)
        try draft.write(name, at: 1)
    }
}

struct Address: Embedded, Hashable {
    var street: String
    var lines: [String] = []

    struct Columns: Sendable {
        let street = Column<Address, String>(0)
        let lines = Column<Address, [String]>(1)
    }

    static let columns = Columns()
    static let embeddedName = "Address"
    static let embeddedDefinition = EmbeddedDefinition(
        embeddedName,
        properties: [
            PropertyDefinition("street", String.self), PropertyDefinition("lines", [String].self),
        ])

    init(street: String, lines: [String] = []) { (self.street, self.lines) = (street, lines) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        street = try stored.read(at: 0)
        lines = try stored.read(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(street, at: 0)
        try draft.write(lines, at: 1)
    }
}

struct Employee: Model, Hashable {
    var number: Int
    var name: String
    var age = 0
    var tags: [String] = []
    var home: Address?
    var badge = Badge.plain
    var company: Link<Company>?
    var boss: Link<Employee>?

    struct Columns: Sendable {
        let number = Column<Employee, Int>(0)
        let name = Column<Employee, String>(1)
        let age = Column<Employee, Int>(2)
        let tags = Column<Employee, [String]>(3)
        let home = Column<Employee, Address?>(4)
        let badge = Column<Employee, Badge>(5)
        let company = Column<Employee, Link<Company>?>(6)
        let boss = Column<Employee, Link<Employee>?>(7)
    }

    static let columns = Columns()
    static let modelName = "Employee"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("age", initial: { 0 }), PropertyDefinition("tags", [String].self),
            PropertyDefinition("home", Address?.self),
            PropertyDefinition("badge", initial: { Badge.plain }),
            PropertyDefinition("company", Link<Company>?.self),
            PropertyDefinition("boss", Link<Employee>?.self, deleteRule: .cascade),
        ], key: [0], indexes: [IndexDefinition(1), IndexDefinition(6, 2)])

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(number: Int, name: String, age: Int = 0) {
        (self.number, self.name, self.age) = (number, name, age)
    }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        name = try stored.read(at: 1)
        age = try stored.read(at: 2)
        tags = try stored.read(at: 3)
        home = try stored.read(at: 4)
        badge = try stored.read(at: 5)
        company = try stored.read(at: 6)
        boss = try stored.read(at: 7)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(name, at: 1)
        try draft.write(age, at: 2)
        try draft.write(tags, at: 3)
        try draft.write(home, at: 4)
        try draft.write(badge, at: 5)
        try draft.write(company, at: 6)
        try draft.write(boss, at: 7)
    }
}

@Suite struct `A model that is written by hand` {
    private let scratch: Scratch
    private let database: ObjectDatabase

    init() throws {
        scratch = try Scratch()
        database = try Self.open(scratch)
    }

    private static func open(_ scratch: Scratch) throws -> ObjectDatabase {
        try ObjectDatabase.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), models: Company.self,
            Employee.self)
    }

    private func insertSome() throws -> Company {
        let firm = Company(name: "Ur")
        try database.write { transaction in
            try transaction.insert(firm)
            for number in 1...20 {
                var employee = Employee(number: number, name: "n\(number)", age: number * 3)
                employee.company = number % 2 == 0 ? Link(firm) : nil
                employee.boss = number > 1 ? Link(key: number / 2) : nil
                employee.tags = number % 5 == 0 ? ["poet"] : []
                employee.home = number == 7 ? Address(street: "Gate", lines: ["a", "b"]) : nil
                employee.badge = number == 3 ? .gold : .plain
                try transaction.insert(employee)
            }
        }
        return firm
    }

    @Test func `comes back as it was stored`() throws {
        _ = try insertSome()
        let employee = try database.read { try $0.fetch(Employee.self, key: 7) }
        #expect(employee?.home == Address(street: "Gate", lines: ["a", "b"]))
        #expect(employee?.name == "n7")
        #expect(employee?.company == nil)
        #expect(try database.read { try $0.fetch(Employee.self, key: 99) } == nil)
        #expect(try database.read { try $0.contains(Employee.self, key: 7) })
        #expect(try !database.read { try $0.contains(Employee.self, key: 99) })
    }

    @Test func `is found by conditions of its properties and of what it links to`() throws {
        let firm = try insertSome()
        try database.read { snapshot in
            let old = try snapshot.fetch(
                Employee.where { $0.age > 50 && $0.company == firm }
                    .sorted(by: \.age, order: .descending))
            #expect(old.map(\.number) == [20, 18])
            #expect(try snapshot.count(of: Employee.where { $0.company == nil }) == 10)
            #expect(try snapshot.count(of: Employee.where { $0.company != firm }) == 10)
            #expect(try snapshot.count(of: Employee.where { $0.company.name == "Ur" }) == 10)
            #expect(try snapshot.count(of: Employee.where { $0.company.name == nil }) == 10)
            #expect(try snapshot.count(of: Employee.where { $0.tags.contains("poet") }) == 4)
            #expect(try snapshot.first(of: Employee.where { $0.badge == .gold })?.number == 3)
            #expect(try snapshot.fetch(Employee.where { $0.name.hasPrefix("n1") }).count == 11)
            #expect(try snapshot.contains(Employee.where { $0.age.isIn([3, 6]) && $0.number > 1 }))
            #expect(try snapshot.count(of: Employee.all) == 20)
            #expect(
                try snapshot.fetch(Employee.all.sorted(by: \.age, order: .descending).limit(2))
                    .map(\.number) == [20, 19])
        }
    }

    @Test func `is not found where its key would lie behind all that one can be`() throws {
        let firm = try insertSome()
        let last = UUID(
            uuid: (
                255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
            ))
        try database.read { snapshot in
            let beyond = try snapshot.fetch(Company.where { $0.id > last })
            let upTo = try snapshot.fetch(Company.where { $0.id <= last })
            #expect(beyond.isEmpty)
            #expect(try snapshot.count(of: Company.where { $0.id > last }) == 0)
            #expect(upTo == [firm])
        }
    }

    @Test func `says which index a query uses`() throws {
        _ = try insertSome()
        let plan = try database.read { try $0.explain(Employee.where { $0.name == "n3" }) }
        #expect(plan.contains("Employee.name"))
    }

    @Test func `is refused where its key, or what is unique, is there already`() throws {
        let firm = try insertSome()
        #expect(throws: (any Error).self) {
            try database.write { try $0.insert(Employee(number: 1, name: "again")) }
        }
        let error = #expect(throws: ObjectError.self) {
            try database.write { try $0.insert(Company(name: firm.name)) }
        }
        #expect(error?.code == .duplicateValue)
        #expect(error?.message.contains("Company.name") == true)
    }

    @Test func `changes by a closure, but for its key`() throws {
        _ = try insertSome()
        try database.write { transaction in
            let isThere = try transaction.update(Employee.self, key: 4) { $0.tags.append("king") }
            #expect(isThere)
            #expect(try !transaction.update(Employee.self, key: 44) { $0.age = 1 })
        }
        #expect(try database.read { try $0.fetch(Employee.self, key: 4)?.tags } == ["king"])
        let error = #expect(throws: ObjectError.self) {
            try database.write { try $0.update(Employee.self, key: 4) { $0.number = 5 } }
        }
        #expect(error?.code == .keyChanged)
    }

    @Test func `takes those along that cascade when it is deleted, and leaves the others`() throws {
        _ = try insertSome()
        try database.write { transaction in
            // Employee 2 leads 4 and 5, which lead 8 to 11, and so on.
            let isDeleted = try transaction.delete(Employee.self, key: 2)
            #expect(isDeleted)
            #expect(try transaction.fetch(Employee.self, key: 16) == nil)
            #expect(try transaction.fetch(Employee.self, key: 3) != nil)
        }
        try database.write { transaction in
            let count = try transaction.delete(Company.all)
            #expect(count == 1)
            #expect(try transaction.count(of: Employee.where { $0.company != nil }) == 0)
        }
    }

    @Test func `undoes all where the closure throws`() throws {
        _ = try insertSome()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.write { transaction in
                try transaction.delete(Employee.all)
                throw Stop()
            }
        }
        #expect(try database.read { try $0.count(of: Employee.all) } == 20)
    }

    @Test func `is read and changed by closures that throw their own errors`() throws {
        _ = try insertSome()
        struct Stop: Error {}
        var numbers: [Int] = []
        #expect(throws: Stop.self) {
            try database.makeSnapshot().forEach(Employee.all) { employee in
                numbers.append(employee.number)
                guard employee.number < 3 else { throw Stop() }
                return .next
            }
        }
        #expect(numbers == [1, 2, 3])
        try database.write { transaction in
            #expect(throws: Stop.self) {
                try transaction.update(Employee.self, key: 4) { employee in
                    employee.age = 1
                    throw Stop()
                }
            }
        }
        #expect(try database.read { try $0.fetch(Employee.self, key: 4)?.age } == 12)
    }

    @Test func `is there when the store is opened again`() throws {
        _ = try insertSome()
        try database.store.close()
        let again = try Self.open(scratch)
        #expect(try again.read { try $0.count(of: Employee.where { $0.name == "n3" }) } == 1)
        #expect(again.schema.models.map(\.name) == ["Company", "Employee"])
        #expect(again.schema == database.schema)
    }
}

@Suite struct `The kind of a property` {
    @Test func `equals another whose values a store keeps alike`() {
        #expect(Int.kind == .scalar(.integer) && Int.kind == Int8.kind)
        #expect(Int.kind != String.kind)
        #expect(Link<Company>.kind == .link("Company"))
        let embedded = PropertyType.Kind.embedded { Address.embeddedDefinition }
        #expect(Address.kind == embedded)
        #expect(Coded<[Int]>.kind == .coded)
        #expect(Sealed<String>.propertyType.kind == .sealed)
        #expect(Sealed<Secret>.propertyType.kind == .secret)
        #expect(Set([Int.kind, Int8.kind, String.kind]).count == 2)
    }
}
