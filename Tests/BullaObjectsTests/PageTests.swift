import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Results page by page` {
    private let scratch: Scratch
    private let database: ObjectDatabase

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), models: Company.self,
            Employee.self)
        try database.write { transaction in
            for number in 1...200 {
                try transaction.insert(
                    Employee(number: number, name: "n\(number % 7)", age: number % 10))
            }
        }
    }

    private static let queries = [
        Employee.all, Employee.where { $0.age < 4 },
        Employee.all.sorted(by: \.number, order: .descending),
        Employee.all.sorted(by: \.age).sorted(by: \.name, order: .descending),
        Employee.where { $0.name == "n3" }.sorted(by: \.age, order: .descending),
        Employee.all.sorted(by: \.company.name).sorted(by: \.age),
    ]

    @Test(arguments: queries.indices)
    func `go on behind the last one, in whatever order`(index: Int) throws {
        let query = Self.queries[index]
        try database.read { snapshot in
            var (pages, next) = ([[Employee]](), query.page(of: 30))
            repeat {
                pages.append(try snapshot.fetch(next))
                if let last = pages.last?.last { next = query.page(of: 30, after: last) }
            } while pages.last?.count == 30
            let found = pages.flatMap(\.self).map(\.number)
            // A query without an order of its own follows the order of the keys.
            let whole = index < 2 ? query.sorted(by: \.number) : query
            let numbers = try snapshot.fetch(whole).map(\.number)
            #expect(found == numbers)
            #expect(pages.count == found.count / 30 + 1)
        }
    }

    @Test func `go on where they were when the last one has changed, or gone`() throws {
        let query = Employee.all.sorted(by: \.age)
        let first = try database.read { try $0.fetch(query.page(of: 25)) }
        let last = try #require(first.last)
        try database.write { transaction in
            try transaction.update(Employee.self, key: last.number) { $0.age = 99 }
        }
        let second = try database.read { try $0.fetch(query.page(of: 5, after: last)) }
        #expect(second.map(\.age) == [1, 1, 1, 1, 1])
        #expect(Set(second.map(\.number)).isDisjoint(with: first.map(\.number)))
        try database.write { _ = try $0.delete(Employee.self, key: last.number) }
        let again = try database.read { try $0.fetch(query.page(of: 5, after: last)) }
        #expect(again.map(\.number) == second.map(\.number))
        let count = try database.read { try $0.count(of: query.page(of: 500, after: last)) }
        #expect(count == 200 - 25)
    }

    @Test(arguments: queries.indices)
    func `come one by one, from one snapshot`(index: Int) async throws {
        let query = Self.queries[index]
        let expected = try await database.read { try $0.fetch(query).map(\.number) }
        var found: [Int] = []
        for try await employee in database.objects(of: query) {
            // Later writes do not change what the sequence returns.
            if found.count == 70 { try await database.write { try $0.delete(Employee.all) } }
            found.append(employee.number)
        }
        #expect(found == expected)
        var iterator = database.objects(of: Employee.where { $0.age == 1 }.limit(3))
            .makeAsyncIterator()
        while let employee = try await iterator.next() { #expect(employee.age == 1) }
        #expect(try await iterator.next() == nil)
    }

    @Test func `end when their task is cancelled`() async throws {
        let (database, started) = (database, AsyncStream.makeStream(of: Void.self))
        let task = Task {
            var count = 0
            for try await _ in database.objects(of: Employee.all) {
                count += 1
                guard count == 1 else { continue }
                started.continuation.finish()
                // This sleep ends when the task is cancelled.
                try? await Task.sleep(for: TestMode.patience)
            }
            return count
        }
        for await _ in started.stream {}
        task.cancel()
        // The objects of the batch that was already read still come.
        let count = try await task.value
        #expect(count > 0 && count < 200)
    }
}

@Suite struct `An object that was fetched before` {
    private let scratch: Scratch
    private let database: ObjectDatabase

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), models: Company.self,
            Employee.self)
        try database.write { try $0.insert(Employee(number: 1, name: "a", age: 3)) }
    }

    @Test func `is replaced where it is still the same`() throws {
        let fetched = try #require(try database.read { try $0.fetch(Employee.self, key: 1) })
        var changed = fetched
        changed.age = 4
        try database.write { [changed] in try $0.update(changed, replacing: fetched) }
        let found = try database.read { try $0.fetch(Employee.self, key: 1) }
        #expect(found == changed)
    }

    @Test func `is not replaced where somebody has changed it, or deleted it`() throws {
        let fetched = try #require(try database.read { try $0.fetch(Employee.self, key: 1) })
        try database.write { _ = try $0.update(Employee.self, key: 1) { $0.tags = ["new"] } }
        func code(_ object: Employee) -> ObjectError.Code? {
            let error = #expect(throws: ObjectError.self) {
                try database.write { try $0.update(object, replacing: fetched) }
            }
            return error?.code
        }
        #expect(code(fetched) == .changedMeanwhile)
        let found = try database.read { try $0.fetch(Employee.self, key: 1) }
        #expect(found?.tags == ["new"])
        var other = fetched
        other.number = 2
        #expect(code(other) == .keyChanged)
        try database.write { _ = try $0.delete(Employee.all) }
        #expect(code(fetched) == .changedMeanwhile)
    }
}
