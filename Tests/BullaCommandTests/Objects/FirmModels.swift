import Bulla
import BullaObjects
import Foundation
import Testing

/// The models of a firm, declared as in a program.
struct Company: Model {
    var name: String

    struct Columns: Sendable { let name = Column<Company, String>(0) }

    static let columns = Columns()
    static let modelName = "Company"
    static let modelDefinition = ModelDefinition(
        modelName, properties: [PropertyDefinition("name", String.self)], key: [0])

    var modelKey: ModelKey<String> { ModelKey(name) }

    init(name: String) { self.name = name }

    init(from stored: borrowing StoredObject) throws(ObjectError) { name = try stored.read(at: 0) }

    func write(to draft: inout ObjectDraft) throws(ObjectError) { try draft.write(name, at: 0) }
}

struct Employee: Model {
    var number: Int
    var name: String
    var age = 0
    var joined = Date(timeIntervalSinceReferenceDate: 0)
    var tags: [String] = []
    var company: Link<Company>?

    struct Columns: Sendable { let number = Column<Employee, Int>(0) }

    static let columns = Columns()
    static let modelName = "Employee"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self), PropertyDefinition("name", String.self),
            PropertyDefinition("age", Int.self), PropertyDefinition("joined", Date.self),
            PropertyDefinition("tags", [String].self),
            PropertyDefinition("company", Link<Company>?.self, deleteRule: .nullify),
        ], key: [0], indexes: [IndexDefinition(1), IndexDefinition(5, 2)])

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(number: Int, name: String) { (self.number, self.name) = (number, name) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        name = try stored.read(at: 1)
        age = try stored.read(at: 2)
        joined = try stored.read(at: 3)
        tags = try stored.read(at: 4)
        company = try stored.read(at: 5)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(name, at: 1)
        try draft.write(age, at: 2)
        try draft.write(joined, at: 3)
        try draft.write(tags, at: 4)
        try draft.write(company, at: 5)
    }
}

struct Member: Model {
    var number: Int
    var pin = Sealed<String>()

    struct Columns: Sendable { let number = Column<Member, Int>(0) }

    static let columns = Columns()
    static let modelName = "Member"
    static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("number", Int.self),
            PropertyDefinition("pin", Sealed<String>.self, sealedIn: "pins", history: 2),
        ], key: [0])

    var modelKey: ModelKey<Int> { ModelKey(number) }

    init(number: Int, pin: String) { (self.number, self.pin) = (number, Sealed(pin)) }

    init(from stored: borrowing StoredObject) throws(ObjectError) {
        number = try stored.read(at: 0)
        pin = try stored.read(at: 1)
    }

    func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(number, at: 0)
        try draft.write(pin, at: 1)
    }
}

extension Scratch {
    /// Makes an encrypted store with the firm's objects: a company, three employees and a member,
    /// or none at all.
    func makeFirm(_ name: String = "firm.bulla", isEmpty: Bool = false) throws {
        if !FileManager.default.fileExists(atPath: path("key").path) {
            try #require(try bulla("keygen", "key").status == 0)
        }
        let key = try StoreKey(contentsOfFile: path("key").path)
        let database = try ObjectDatabase.open(
            at: path(name).path, key: key, models: Company.self, Employee.self, Member.self)
        try database.createVault(named: "pins", keys: [key])
        if !isEmpty { try database.write { try Self.fill(&$0) } }
        try database.store.close()
    }

    private static func fill(_ transaction: inout ObjectTransaction) throws {
        let company = Company(name: "Ur")
        try transaction.insert(company)
        for (number, name, age) in [(7, "Enheduanna", 64), (8, "Nin\tbanda", 30), (9, "Adda", 20)] {
            var employee = Employee(number: number, name: name)
            (employee.age, employee.tags) = (age, age > 40 ? ["poet", "priest"] : [])
            employee.joined = Date(timeIntervalSinceReferenceDate: Double(age) + 0.25)
            employee.company = age > 20 ? Link(company) : nil
            try transaction.insert(employee)
        }
        try transaction.insert(Member(number: 1, pin: "4711"))
    }
}
