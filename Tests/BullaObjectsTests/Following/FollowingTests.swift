import Bulla
import BullaObjects
import BullaTestSupport
import Testing

// If all tests run, one of them may wait for its turn behind thousands of others, so only hanging
// is an error.
@Suite(.timeLimit(.minutes(60))) struct `What a query asks for, followed` {
    private let scratch: Scratch
    private let database: ObjectDatabase
    private let firm = Company(name: "Ur")

    init() throws {
        scratch = try Scratch()
        var options = StoreOptions()
        options.fixLog(halfByteCount: 256 << 10)
        let store = try Store.open(
            at: scratch.path("firm.bulla"), key: StoreKind.gcm.key(), options: options)
        database = try ObjectDatabase(store, models: [Company.self, Employee.self])
        let firm = firm
        try database.write { transaction in
            try transaction.insert(firm)
            for number in 1...10 { try transaction.insert(Self.employee(number, age: number)) }
        }
    }

    private static func employee(
        _ number: Int, age: Int, company: Company? = nil
    ) -> Employee {
        var employee = Employee(number: number, name: "n\(number)", age: age)
        employee.company = company.map { Link($0) }
        return employee
    }

    private func setAge(_ number: Int, _ age: Int) throws {
        try database.write { transaction in
            try transaction.update(Employee.self, key: number) { $0.age = age }
        }
    }

    @Test func `begins with all, and goes on with what each commit changes`() throws {
        var changes = database.changes(of: Employee.where { $0.age > 8 }).makeAsyncIterator()
        let first = try #require(try changes.next(waitingAtMost: .zero))
        #expect(first.inserted.map(\.number) == [9, 10] && first.resultCount == 2)
        #expect(try changes.next(waitingAtMost: .zero) == nil)
        try setAge(1, 20)
        try setAge(9, 30)
        try setAge(10, 3)
        // Object 2 matches the query neither before nor after this change.
        try setAge(2, 4)
        _ = try database.write { try $0.delete(Employee.self, key: 1) }
        var told: [[Int]] = []
        while let change = try changes.next(waitingAtMost: .zero) {
            told.append(
                change.inserted.map(\.number) + [0] + change.updated.map(\.number) + [0]
                    + change.removed.map(\.values))
            #expect(change.updated.allSatisfy { $0.age == 30 })
        }
        #expect(told == [[1, 0, 0], [0, 9, 0], [0, 0, 10], [0, 0, 1]])
    }

    @Test func `says nothing of a commit that leaves an object as it was`() throws {
        var changes = database.changes(of: Employee.all).makeAsyncIterator()
        _ = try changes.next(waitingAtMost: .zero)
        try setAge(1, 1)
        try database.write { transaction in
            try transaction.insert(Self.employee(77, age: 1))
            try transaction.delete(Employee.self, key: 77)
        }
        #expect(try changes.next(waitingAtMost: .zero) == nil)
    }

    @Test func `changes with what it links to`() throws {
        let query = Employee.where { $0.company.name == "Eridu" }
        var changes = database.changes(of: query).makeAsyncIterator()
        #expect(try changes.next(waitingAtMost: .zero)?.resultCount == 0)
        let firm = firm
        try database.write { transaction in
            try transaction.insert(Self.employee(50, age: 1, company: firm))
        }
        #expect(try changes.next(waitingAtMost: .zero) == nil)
        try database.write { transaction in
            try transaction.update(Company.self, key: firm.id) { $0.name = "Eridu" }
        }
        #expect(try changes.next(waitingAtMost: .zero)?.inserted.map(\.number) == [50])
        _ = try database.write { try $0.delete(Company.self, key: firm.id) }
        #expect(try changes.next(waitingAtMost: .zero)?.removed == [ModelKey(50)])
    }

    @Test func `has a limit, whose last object others push out`() throws {
        let query = Employee.all.sorted(by: \.age, order: .descending).limit(2)
        var changes = database.changes(of: query).makeAsyncIterator()
        #expect(try changes.next(waitingAtMost: .zero)?.inserted.map(\.number) == [10, 9])
        try setAge(1, 100)
        let change = try #require(try changes.next(waitingAtMost: .zero))
        #expect(change.inserted.map(\.number) == [1])
        #expect(change.removed == [ModelKey(9)])
    }

    @Test func `is told in one when its reader is far behind, and whole`() throws {
        var changes = database.changes(of: Employee.where { $0.age < 1000 }).makeAsyncIterator()
        var ages = Dictionary(
            uniqueKeysWithValues: try #require(try changes.next(waitingAtMost: .zero)).inserted
                .map { ($0.number, $0.age) })
        for step in 0..<300 {
            try database.write(durability: .relaxed(within: .seconds(1))) { transaction in
                try transaction.upsert(Self.employee(step % 20, age: step % 7 == 0 ? 2000 : step))
            }
        }
        // This commit has full durability, so everything before it is durable, too.
        try setAge(10, 1)
        var count = 0
        while let change = try changes.next(waitingAtMost: .zero) {
            count += 1
            for employee in change.inserted {
                #expect(ages.updateValue(employee.age, forKey: employee.number) == nil)
            }
            for employee in change.updated {
                #expect(ages.updateValue(employee.age, forKey: employee.number) != nil)
            }
            for key in change.removed { #expect(ages.removeValue(forKey: key.values) != nil) }
            #expect(change.resultCount == ages.count)
        }
        #expect((1..<100).contains(count))
        let expected = try database.read { snapshot in
            try snapshot.fetch(Employee.where { $0.age < 1000 }).map { ($0.number, $0.age) }
        }
        #expect(ages == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test func `depends on what its order leads to, where it has a limit`() throws {
        let other = Company(name: "Aa")
        let firm = firm
        try database.write { transaction in
            try transaction.insert(other)
            for (number, company) in [(1, firm), (2, other)] {
                try transaction.update(Employee.self, key: number) { $0.company = Link(company) }
            }
        }
        let query = Employee.where { $0.company != nil }.sorted(by: \.company.name).limit(1)
        var changes = database.changes(of: query).makeAsyncIterator()
        #expect(try changes.next(waitingAtMost: .zero)?.inserted.map(\.number) == [2])
        try database.write { transaction in
            try transaction.update(Company.self, key: other.id) { $0.name = "Zz" }
        }
        #expect(try changes.next(waitingAtMost: .zero)?.inserted.map(\.number) == [1])
    }

    @Test func `forgets what came and went before a gap`() throws {
        var changes = database.changes(of: Employee.where { $0.age > 100 }).makeAsyncIterator()
        _ = try changes.next(waitingAtMost: .zero)
        try database.write { try $0.insert(Self.employee(500, age: 200)) }
        for step in 0..<70 { try setAge(1 + step % 5, step) }
        try database.write { transaction in
            try transaction.delete(Employee.self, key: 500)
            for number in 1000..<4000 { try transaction.insert(Self.employee(number, age: 1)) }
        }
        var known: Set<Int> = []
        while let change = try changes.next(waitingAtMost: .zero) {
            known.formUnion(change.inserted.map(\.number))
            known.subtract(change.removed.map(\.values))
            #expect(change.resultCount == known.count)
        }
        #expect(known.isEmpty)
    }

    @Test func `is whole after a gap, too`() throws {
        var changes = database.changes(of: Employee.where { $0.age > 8 }).makeAsyncIterator()
        _ = try changes.next(waitingAtMost: .zero)
        try setAge(1, 20)
        try setAge(9, 30)
        try setAge(10, 3)
        // This transaction outgrows the log, so its changes are not reported one by one.
        try database.write { transaction in
            for number in 1000..<4000 { try transaction.insert(Self.employee(number, age: 1)) }
        }
        try setAge(5, 40)
        var ages = [9: 9, 10: 10]
        while let change = try changes.next(waitingAtMost: .zero) {
            for employee in change.inserted + change.updated {
                ages[employee.number] = employee.age
            }
            for key in change.removed { ages[key.values] = nil }
        }
        #expect(ages == [1: 20, 5: 40, 9: 30])
    }

    @Test func `tells how many there are, when that has become another number`() throws {
        var counts = database.counts(of: Employee.where { $0.age > 8 }).makeAsyncIterator()
        #expect(try counts.next(waitingAtMost: .zero) == 2)
        try setAge(9, 10)
        #expect(try counts.next(waitingAtMost: .zero) == nil)
        try setAge(9, 1)
        #expect(try counts.next(waitingAtMost: .zero) == 1)
    }

    @Test func `tells what becomes of one object`() throws {
        var values = database.values(of: Employee.self, key: 99).makeAsyncIterator()
        #expect(try values.next(waitingAtMost: .zero) == .some(nil))
        try database.write { try $0.insert(Self.employee(99, age: 1)) }
        #expect(try values.next(waitingAtMost: .zero)??.age == 1)
        try setAge(99, 2)
        #expect(try values.next(waitingAtMost: .zero)??.age == 2)
        _ = try database.write { try $0.delete(Employee.self, key: 99) }
        #expect(try values.next(waitingAtMost: .zero) == .some(nil))
    }

    @Test func `ends where another program changes the schema`() throws {
        var changes = database.changes(of: Employee.all).makeAsyncIterator()
        _ = try changes.next(waitingAtMost: .zero)
        _ = try ObjectDatabase(
            database.store, models: [Company.self, Employee.self, OldPeople.Person.self])
        let error = try #require(throws: ObjectError.self) {
            try changes.next(waitingAtMost: .zero)
        }
        #expect(error.code == .schemaChanged)
        #expect(try changes.next(waitingAtMost: .zero) == nil)
    }

    @Test func `comes to a task, which can be cancelled`() async throws {
        let database = database
        let (numbers, told) = AsyncStream.makeStream(of: [Int].self)
        let task = Task {
            for try await change in database.changes(of: Employee.where { $0.age > 8 }) {
                told.yield(change.inserted.map(\.number))
            }
            told.finish()
        }
        var iterator = numbers.makeAsyncIterator()
        #expect(await iterator.next() == [9, 10])
        try setAge(3, 50)
        #expect(await iterator.next() == [3])
        task.cancel()
        #expect(await iterator.next() == nil)
        try await task.value
    }
}
