import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Results of queries` {
    private let scratch: Scratch
    private let database: ObjectDatabase
    private let firm = Company(name: "Ur")

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), models: Company.self,
            Employee.self)
        let firm = firm
        try database.write { transaction in
            try transaction.insert(firm)
            for number in 1...10 {
                var employee = Employee(number: number, name: "n\(number % 3)", age: number * 2)
                employee.company = number % 2 == 0 ? Link(firm) : nil
                try transaction.insert(employee)
            }
        }
    }

    @Test func `are least and greatest values, sums and means, and what there is`() throws {
        let snapshot = try database.makeSnapshot()
        let some = Employee.where { $0.age > 4 }
        #expect(try snapshot.min(\.age, of: some) == 6)
        #expect(try snapshot.max(\.age, of: some) == 20)
        #expect(try snapshot.max(\.name, of: Employee.all) == "n2")
        #expect(try snapshot.sum(\.age, of: some) == 104)
        #expect(try snapshot.average(\.age, of: some) == 13)
        #expect(try snapshot.distinct(\.name, of: some) == ["n0", "n1", "n2"])
        let none = Employee.where { $0.age > 1000 }
        #expect(try snapshot.min(\.age, of: none) == nil)
        #expect(try snapshot.average(\.age, of: none) == nil)
        #expect(try snapshot.sum(\.age, of: none) == 0)
        let two = Employee.all.sorted(by: \.age, order: .descending).limit(2)
        #expect(try snapshot.min(\.age, of: two) == 18)
        #expect(try snapshot.max(\.age, of: two) == 20)
    }

    @Test func `are told to be too large where no value is`() throws {
        try database.write { transaction in
            try transaction.insert(Employee(number: 99, name: "old", age: .max))
        }
        let error = try #require(throws: ObjectError.self) {
            try database.read { try $0.sum(\.age, of: Employee.all) }
        }
        #expect(error.code == .tooLarge)
    }

    @Test func `are properties alone, along links, too`() throws {
        try database.read { snapshot in
            let query = Employee.where { $0.number < 3 }.sorted(by: \.number)
            let pairs = try snapshot.fetch(query.select { ($0.name, $0.age) })
            #expect(pairs.map(\.0) == ["n1", "n2"] && pairs.map(\.1) == [2, 4])
            let names = try snapshot.fetch(query.select { $0.company.name })
            #expect(names == [nil, "Ur"])
            let four = try snapshot.fetch(
                query.select { ($0.number, $0.name, $0.home, $0.badge) })
            #expect(four.count == 2 && four[1].0 == 2 && four[1].2 == nil)
            #expect(try snapshot.keys(of: query) == [ModelKey(1), ModelKey(2)])
        }
    }

    @Test func `come with what they link to`() throws {
        try database.read { snapshot in
            let rows = try snapshot.fetch(
                Employee.where { $0.number < 4 }.sorted(by: \.number), with: \.company)
            #expect(rows.map(\.base.number) == [1, 2, 3])
            #expect(rows.map { $0.target?.name } == [nil, "Ur", nil])
        }
    }

    @Test func `of a part that failed are none, and the rest stands`() throws {
        struct Refusal: Error {}
        try database.write { transaction in
            try transaction.insert(Employee(number: 50, name: "a"))
            #expect(throws: Refusal.self) {
                try transaction.withSavepoint { part in
                    try part.insert(Employee(number: 51, name: "b"))
                    try part.delete(Employee.self, key: 50)
                    throw Refusal()
                }
            }
            try transaction.withSavepoint { part in
                try part.insert(Employee(number: 52, name: "c"))
            }
        }
        let found = try database.read { try $0.keys(of: Employee.where { $0.number >= 50 }) }
        #expect(found == [ModelKey(50), ModelKey(52)])
    }

    @Test func `come to tasks, whose threads do not wait`() async throws {
        let count = try await database.write { transaction in
            try transaction.delete(Employee.where { $0.age > 10 })
        }
        #expect(count == 5)
        let left = try await database.read { try $0.count(of: Employee.all) }
        #expect(left == 5)
        let other = try await ObjectDatabase.open(
            at: scratch.path("other.bulla"), models: Company.self, Employee.self)
        let isThere = try await other.read { try $0.contains(Employee.all) }
        #expect(!isThere)
    }
}
