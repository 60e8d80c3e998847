import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Queries of text` {
    private let scratch: Scratch
    private let database: ObjectDatabase
    private let ur = Company(name: "Ur")

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("s"), key: StoreKind.gcm.key(), models: Company.self, Employee.self)
        try fill()
    }

    private func fill() throws {
        let ur = ur
        try database.write { transaction in
            try transaction.insert(ur)
            try transaction.insert(Company(name: "Lagash"))
            var first = Employee(number: 1, name: "Enheduanna", age: 64)
            (first.company, first.tags) = (Link(ur), ["poet", "priest"])
            first.home = Address(street: "Gate", lines: ["left", "right"])
            var second = Employee(number: 2, name: "Ninbanda", age: 30)
            (second.company, second.boss) = (Link(ur), Link(first))
            second.tags = ["poet"]
            var third = Employee(number: 3, name: "adda's \"son\"", age: 20)
            third.boss = Link(second)
            for employee in [first, second, third] { try transaction.insert(employee) }
        }
    }

    private func numbers(_ query: TextQuery) throws -> [Int] {
        try database.read { snapshot in
            try snapshot.fetch(query).map { fields in
                guard case .scalar(.integer(let number)) = fields["number"] else { return -1 }
                return number
            }
        }
    }

    @Test(arguments: [
        ("age > 30", [1]), ("age >= 30", [1, 2]), ("age = 30 or age = 20", [2, 3]),
        ("age == 64 and name = 'Enheduanna'", [1]), ("not age < 64", [1]),
        ("not not age < 64", [2, 3]), ("age != 64 and (age > 20 or name is nil)", [2]),
        ("age in (20, 64)", [1, 3]), ("age not in (20, 64)", [2]), ("company is nil", [3]),
        ("company is not nil", [1, 2]), ("company = nil", [3]), ("company != nil", [1, 2]),
        ("name begins with 'En'", [1]), ("name contains \"an\"", [1, 2]),
        ("name = 'ENHEDUANNA' ignoring case", [1]), ("name != 'ninbanda' ignoring case", [1, 3]),
        ("name begins with 'NIN' ignoring case", [2]),
        ("name contains 'DUA' ignoring case", [1]), ("name = 'adda\\'s \\u0022son\\u0022'", [3]),
        ("name = \"adda's \\\"son\\\"\"", [3]), ("company.name = \"Ur\"", [1, 2]),
        ("boss.boss.company.name = 'Ur'", [3]), ("boss.boss is nil", [1, 2]),
        ("boss = 1", [2]), ("boss != 1", [1, 3]), ("boss in (1, 2)", [2, 3]),
        ("boss in (nil, 1)", [1, 2]), ("home.street = 'Gate'", [1]),
        ("home.street != 'Gate'", [2, 3]), ("home is nil", [2, 3]),
        ("tags contains \"poet\"", [1, 2]), ("any tags = 'priest'", [1]),
        ("any tags begins with 'p'", [1, 2]), ("all tags = 'poet'", [2, 3]),
        ("none tags = 'poet'", [3]), ("count(tags) > 1", [1]), ("count(tags) = 0", [3]),
        ("any home.lines = 'left'", [1]), ("count(home.lines) = 2", [1]),
        ("count(Employee.boss) = 1", [1, 2]), ("any Employee.boss (age < 30)", [2]),
        ("any Employee.boss.name begins with 'N'", [1]), ("any Employee.boss = 3", [2]),
        ("count(boss.Employee.boss) = 1 and number > 2", [3]), ("boss.age > age", [2, 3]),
        ("boss = number", []), ("`number` = 1", [1]), ("badge = 0", [1, 2, 3]), ("age > -1e0", []),
    ])
    func `find what their conditions say`(text: String, numbers: [Int]) throws {
        switch text {
        // The first compares a link with a property of another type. The second compares a whole
        // number with a literal that is not written as a whole number.
        case "boss = number", "age > -1e0":
            #expect(thrownError { _ = try self.numbers(query(text)) }?.code == .invalidQuery)
        default: #expect(try self.numbers(query(text)).sorted() == numbers)
        }
    }

    private func query(_ text: String) -> TextQuery { TextQuery("Employee", where: text) }

    @Test func `find companies by the objects that refer to them`() throws {
        try database.read { snapshot in
            for (text, name) in [
                ("count(Employee.company) > 1", "Ur"), ("count(Employee.company) = 0", "Lagash"),
                ("any Employee.company (age > 60 and tags contains 'poet')", "Ur"),
                ("none Employee.company (age > 1)", "Lagash"),
                ("id = '\(ur.id.uuidString)'", "Ur"), ("id != \"\(ur.id)\"", "Lagash"),
            ] {
                let found = try snapshot.fetch(TextQuery("Company", where: text))
                #expect(found.map { $0["name"] } == [.scalar(.string(name))], "\(text)")
            }
            let links = try snapshot.fetch(
                TextQuery("Employee", where: "company = '\(ur.id)'", sortedBy: "number"))
            #expect(links.count == 2)
        }
    }

    @Test func `sort, limit, count and explain as the others do`() throws {
        #expect(try numbers(TextQuery("Employee", sortedBy: "age")) == [3, 2, 1])
        #expect(try numbers(TextQuery("Employee", sortedBy: "-age", limit: 2)) == [1, 2])
        #expect(try numbers(TextQuery("Employee", sortedBy: "company.name, -number")) == [3, 2, 1])
        #expect(try numbers(TextQuery("Employee", limit: -1)).isEmpty)
        try database.read { snapshot in
            #expect(try snapshot.count(of: TextQuery("Employee")) == 3)
            #expect(try snapshot.count(of: query("age > 20")) == 2)
            #expect(try snapshot.count(of: TextQuery("Employee", limit: 2)) == 2)
            let explanation = try snapshot.explain(query("name = 'x' and age > 3"))
            #expect(explanation.contains("the index of Employee.name"))
            let typed = try snapshot.explain(Employee.where { $0.name == "x" && $0.age > 3 })
            #expect(explanation == typed)
        }
    }

    @Test func `choose properties, along links and into embedded values`() throws {
        let query = TextQuery(
            "Employee", where: "number in (1, 3)", sortedBy: "number",
            selecting: "name, company.name, home.street, home.lines, boss.number")
        try database.read { snapshot in
            let found = try snapshot.fetch(query)
            #expect(found[0]["company.name"] == .scalar(.string("Ur")))
            #expect(
                found[0]["home.lines"]
                    == .list([.scalar(.string("left")), .scalar(.string("right"))]))
            #expect(found[0].values["number"] == nil)
            var lines: [String] = []
            try snapshot.forEachLine(query) { line in
                lines.append(String(decoding: line, as: UTF8.self))
                return .next
            }
            #expect(
                lines == [
                    "{\"name\":\"Enheduanna\",\"company.name\":\"Ur\",\"home.street\":\"Gate\","
                        + "\"home.lines\":[\"left\",\"right\"],\"boss.number\":null}",
                    "{\"name\":\"adda's \\\"son\\\"\",\"company.name\":null,\"home.street\":null,"
                        + "\"home.lines\":null,\"boss.number\":2}",
                ])
        }
    }

    @Test(arguments: [
        ("", 1, "the name of a property is expected here"),
        ("age >", 6, "a value is expected here"),
        ("age > 3 3", 9, "and, or, or the end is expected here"),
        ("(age > 3", 9, ") is expected here"),
        ("age > 'x'", 7, "Employee.age must be compared with a whole number that 64 bits hold"),
        ("agee > 3", 1, "Employee has no such property; it has number, name, age"),
        ("boss.agee > 3", 6, "Employee has no such property"),
        ("home.town = 'x'", 6, "Address has no such property; it has street, lines"),
        ("name.x = 3", 6, "Employee.name has no properties"),
        ("tags = 'x'", 1, "Employee.tags has many values"),
        ("tags.x = 'x'", 1, "Employee.tags has many values"),
        ("any age > 3", 5, "Employee.age has one value at most"),
        ("any tags (x = 3)", 5, "Employee.tags has values without properties"),
        ("age > nil", 7, "nil is neither less nor greater than anything"),
        ("age begins with '3'", 1, "Employee.age is neither text nor data"),
        ("age = 3 ignoring case", 1, "Employee.age is not a text"),
        ("name = 'x' ignoring", 20, "case is expected here"), ("name = \"x", 8, "a quotation mark"),
        ("name = 'x\\q'", 10, "the escape is not valid"),
        ("age > 3x", 7, "the number is not valid"),
        ("age > 3 ; x", 9, "no word begins like this"),
        ("count(age) > 3", 7, "Employee.age has one value"),
        ("count(tags) > 'x'", 15, "a whole number is expected here"),
        ("count tags > 3", 7, "and, or, or the end is expected here"),
        ("boss > 3", 1, "Employee.boss is a link, which has no order"),
        ("boss = (1, 2)", 8, "a key of Employee has 1 parts"),
        ("home = 'x'", 1, "Employee.home has properties"),
        ("tags[\"x\"] = 3", 1, "Employee.tags is not a dictionary"),
        ("age[\"x\"] = 3", 1, "Employee.age is not a dictionary"),
        ("name < age", 8, "Employee.age has another type than Employee.name"),
        ("home", 1, "Employee.home has properties"),
        ("age is", 7, "nil is expected here"), ("age not", 8, "in is expected here"),
        ("Employee.age = 3", 1, "Employee has no such property"),
    ])
    func `that are wrong say where, and repeat nothing`(
        text: String, column: Int, message: String
    ) throws {
        let error = try #require(thrownError { _ = try numbers(query(text)) })
        #expect(error.code == .invalidQuery)
        let whole = "read the condition, column \(column): \(message)"
        #expect(error.message.hasPrefix(whole), "\(error.message)")
    }

    @Test func `say what is wrong with an order, a choice, or a model`() throws {
        for (order, column) in [
            ("age,", 5), ("tags", 1), ("company", 1), ("age name", 5), ("+age", 1),
        ] {
            let error = thrownError { _ = try numbers(TextQuery("Employee", sortedBy: order)) }
            #expect(
                error?.message.hasPrefix("read the order, column \(column): ") == true, "\(order)")
        }
        for (choice, column) in [("age, -name", 7), ("Employee.boss", 10), ("tags.x", 1)] {
            let error = thrownError { _ = try numbers(TextQuery("Employee", selecting: choice)) }
            let start = "read the list of properties, column "
            #expect(error?.code == .invalidQuery, "\(choice)")
            #expect(error?.message.hasPrefix(start) == true, "\(choice) \(column)")
        }
        #expect(thrownError { _ = try numbers(TextQuery("Nobody")) }?.code == .invalidModel)
    }
}
