import Bulla
import BullaObjects
import Foundation

/// The samples of `Objects.md` that are not part of a program, in its order.
struct ObjectsPage {
    static let source = #filePath
    let key: StoreKey

    init() throws { key = try StoreKey.random() }

    func run() async throws {
        try await inFolder("What you can ask") { try await Firm.pages("firm.bulla", key) }
        try await inFolder("When models change") { try migration() }
        try await inFolder("What is sealed") { try sealing() }
        try await inFolder("Without the program that made it") { try withoutModels() }
    }

    enum Firm {
        @Model struct Employee {
            @Key var number: Int
            var name: String
            @Indexed var age = 0
        }

        static func pages(_ path: String, _ key: StoreKey) async throws {
            let database = try await ObjectDatabase.open(at: path, key: key, models: Employee.self)
            try await database.write { transaction in
                for number in 1...30 {
                    try transaction.insert(
                        Employee(number: number, name: "name \(number)", age: 40 + number))
                }
            }
            let snapshot = try database.makeSnapshot()
            for try await employee in database.objects(of: Employee.where { $0.age > 60 }) {
                show(employee)
            }

            let query = Employee.all.sorted(by: \.age)
            let first = try snapshot.fetch(query.page(of: 20))
            let second = try snapshot.fetch(query.page(of: 20, after: first.last!))
            guard first.count == 20, second.count == 10 else {
                throw CocoaError(.coderInvalidValue)
            }
        }

        private static func show(_ employee: Employee) { print(employee.name) }
    }

    enum Former {
        @Model struct Person {
            @Key var id: Int
            var name: String
        }
    }

    @Model struct Person {
        @Key var id: Int
        var first: String
        var last: String
    }

    private func migration() throws {
        let path = "people.bulla"
        let former = try ObjectDatabase.open(at: path, key: key, models: Former.Person.self)
        try former.write { try $0.insert(Former.Person(id: 1, name: "Ada King Lovelace")) }
        try former.store.close()
        let names = Migration("names in two parts", of: Person.self) { person, _ in
            let name = try person.value("name", as: String.self)
            let parts = name.split(separator: " ").map(String.init)
            try person.set("first", to: parts.first ?? "")
            try person.set("last", to: parts.dropFirst().joined(separator: " "))
        }
        let database = try ObjectDatabase.open(
            at: path, key: key, models: Person.self, migrations: [names])
        let last = try database.read { try $0.fetch(Person.self, key: 1)?.last }
        guard last == "King Lovelace" else { throw CocoaError(.coderInvalidValue) }
        try database.store.close()
    }

    @Model struct Employee {
        @Key var number: Int
        var name: String
        @Sealed(in: "pins", history: 2) var pin: Sealed<String>
    }

    @Model(sealedIn: "logins") struct Login {
        @Key var id = UUID()
        @Clear @Indexed var site: String
        var user: String
        @Sealed(history: 10) var password: Sealed<Secret>
    }

    private func sealing() throws {
        let secret = try Secret("correct horse")
        let database = try ObjectDatabase.open(
            at: "firm.bulla", key: key, models: Employee.self, Login.self)
        try database.createVault(named: "pins", keys: [.password(secret)])
        try database.createVault(named: "logins", keys: [.password(secret)])
        let stored = Login(site: "Ur", user: "ada", password: Sealed(secret))
        let id = stored.id
        try database.write { transaction in
            try transaction.insert(stored)
            try transaction.insert(Employee(number: 7, name: "Enheduanna", pin: Sealed("1234")))
        }
        database.lockVault(named: "logins")

        try database.openVault(named: "logins", key: .password(secret))
        // A SealedObject: nothing is opened.
        let login = try database.read { try $0.fetch(Login.self, key: id) }
        let site = try login?.site  // visible
        let user = try login?.open().user  // opened here
        try login?.open().password.withCleartext { bytes in use(bytes) }  // wiped on return

        guard site == "Ur", user == "ada" else { throw CocoaError(.coderInvalidValue) }
        try database.store.close()
    }

    enum Town {
        @Model struct Company {
            @Key var name: String
        }

        @Model struct Employee {
            @Key var number: Int
            var name: String
            var company: Link<Company>?
        }
    }

    private func withoutModels() throws {
        let firm = try ObjectDatabase.open(
            at: "firm.bulla", key: key, models: Town.Company.self, Town.Employee.self)
        try firm.write { transaction in
            let company = Town.Company(name: "Ur")
            try transaction.insert(company)
            try transaction.insert(
                Town.Employee(number: 7, name: "Enheduanna", company: Link(company)))
        }
        try firm.store.close()
        let database = try SchemaDatabase.open(at: "firm.bulla", key: key)
        let old = TextQuery(
            "Employee", where: "number < 9 and company.name = 'Ur'", sortedBy: "-name")
        let names = try database.read { try $0.fetch(old).map { $0["name"] } }
        try database.write { transaction in
            var employee = ObjectFields(["number": .scalar(.integer(10))])
            employee["name"] = .scalar(.string("Ur-Nanshe"))
            employee["company"] = .link([.string("Lagash")])
            try transaction.insert(employee, into: "Employee")
        }
        let count = try database.read { try $0.fetch(TextQuery("Employee")).count }
        guard names == [.scalar(.string("Enheduanna"))], count == 2 else {
            throw CocoaError(.coderInvalidValue)
        }
    }

    private func use(_ bytes: RawSpan) { print(bytes.byteCount) }
}
