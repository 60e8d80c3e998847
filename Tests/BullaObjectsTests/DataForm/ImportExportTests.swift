import Bulla
import BullaObjects
import BullaTestSupport
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Exported objects` {
    private static let objectCount = TestMode.pick(short: 150, long: 2_000)
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: TestMode.seeds(5), [StoreKind.gcm, .plain])
    func `make an equal store of an empty one of the same schema`(
        seed: UInt64, kind: StoreKind
    ) throws {
        var random = TestRandom(seed: seed)
        let schema = RandomSchema.draw(&random)
        let first = try SchemaStore.make(schema, at: scratch.path("first"), kind)
        let oracle = try SchemaStore.fill(first, Self.objectCount, &random)
        let lines = try SchemaStore.lines(of: first)
        #expect(lines.count == oracle.objects.count)
        let second = try SchemaStore.make(schema, at: scratch.path("second"), kind)
        var work = ObjectImport(into: second, model: nil)
        // Lines can come in any order, and refer to later ones.
        try work.run(lines.shuffled(using: &random))
        #expect(work.summary.insertedCount == lines.count)
        #expect(try SchemaStore.lines(of: second) == lines)
        try second.read { snapshot in
            for model in schema.models {
                for fields in try snapshot.fetch(TextQuery(model.name)) {
                    let key = model.key.map { number -> Scalar in
                        let name = model.property(number)?.name ?? ""
                        guard case .scalar(let part) = fields[name] else { return .boolean(false) }
                        return part
                    }
                    let place = Oracle.Place(model: model.number, key: key)
                    #expect(fields == oracle.objects[place])
                }
            }
        }
        var again = ObjectImport(into: second, model: nil)
        again.replacesObjects = true
        try again.run(lines)
        #expect(again.summary.replacedCount == lines.count)
        #expect(try SchemaStore.lines(of: second) == lines)
    }
}

/// Imports into a store that was made by a program.
@Suite struct `Imported objects` {
    private let scratch: Scratch
    private let database: ObjectDatabase
    private let untyped: SchemaDatabase

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("s"), key: StoreKind.gcm.key(), models: Company.self, Employee.self)
        untyped = try SchemaDatabase(database.store)
    }

    private func importing(
        _ lines: [String], into model: String? = "Employee", upsert: Bool = false
    ) throws -> ObjectImport.Summary {
        var work = ObjectImport(into: untyped, model: model)
        work.replacesObjects = upsert
        try work.run(lines.map { Array($0.utf8) })
        return work.summary
    }

    private func failure(_ lines: [String], into model: String? = "Employee") -> ObjectError? {
        thrownError { _ = try importing(lines, into: model) }
    }

    @Test func `are what the program's models say, with what a line leaves out`() throws {
        let summary = try importing(["{\"number\":7,\"name\":\"Enheduanna\"}", " \t", ""])
        #expect(summary.insertedCount == 1)
        #expect(summary.commitCount == 1)
        let employee = try database.read { try $0.fetch(Employee.self, key: 7) }
        #expect(employee == Employee(number: 7, name: "Enheduanna"))
        let named = try database.read {
            try $0.fetch(Employee.where { $0.name == "Enheduanna" })
        }
        #expect(named.count == 1)
    }

    @Test func `may refer to what comes later, in their own transaction or another`() throws {
        let company = Company(name: "Ur")
        let lines =
            (1...9_000).map {
                "{\"Employee\":{\"number\":\($0),\"name\":\"n\","
                    + "\"company\":\"\(company.id.uuidString)\",\"boss\":\($0 + 1)}}"
            } + ["{\"Company\":{\"id\":\"\(company.id.uuidString)\",\"name\":\"Ur\"}}"]
        let summary = try importing(lines, into: nil)
        #expect(summary.insertedCount == 9_001)
        #expect(summary.commitCount == 3)
        try database.read { snapshot in
            let staffCount = try snapshot.count(of: company.staff.query)
            #expect(staffCount == 9_000)
            #expect(try snapshot.count(of: Employee.where { $0.boss.name == "n" }) == 8_999)
        }
    }

    @Test func `keep what was committed before a wrong line, which is named`() throws {
        let lines = (1...5_000).map { "{\"number\":\($0),\"name\":\"n\"}" }
        var work = ObjectImport(into: untyped, model: "Employee")
        let error = thrownError {
            try work.run((lines + ["{\"number\":1.5}"]).map { Array($0.utf8) })
        }
        #expect(error?.code == .invalidLine)
        #expect(
            error?.message
                == "import line 5001: Employee.number: it is not a whole number that 64 bits hold")
        #expect(work.summary.insertedCount == 4_000)
        #expect(try database.read { try $0.count(of: Employee.all) } == 4_000)
    }

    @Test func `are refused with the line, the model and the property, and no value`() throws {
        let company = "{\"id\":\"\(UUID().uuidString)\",\"name\":\"Ur\"}"
        _ = try importing(["{\"number\":4711,\"name\":\"a\"}"])
        _ = try importing([company], into: "Company")
        let cases: [([String], String?, ObjectError.Code, String)] = [
            (["", "{\"number\":4711}"], "Employee", .duplicateKey, "line 2: insert Employee: "),
            (
                ["{\"id\":\"\(UUID().uuidString)\",\"name\":\"Ur\"}"], "Company", .duplicateValue,
                "line 1: write Company: Company.name is unique"
            ),
            (["{\"name\":\"x\"}"], "Employee", .invalidKey, "line 1: write Employee: its key"),
            (["{\"number\":null}"], "Employee", .invalidKey, "line 1: write Employee: its key"),
            (
                ["{\"number\":1,\"name\":null}"], "Employee", .invalidModel,
                "line 1: write Employee.name: it cannot be nil"
            ),
            (
                ["{\"number\":1,\"home\":{\"street\":null}}"], "Employee", .invalidModel,
                "line 1: write Employee.home.street: it cannot be nil"
            ),
            (["{\"Nobody\":{}}"], nil, .invalidLine, "line 1: it does not begin with the name"),
            (
                ["{\"Employee\":{\"number\":1},\"Company\":{}}"], nil, .invalidLine,
                "line 1: it has more than one member"
            ),
        ]
        for (lines, model, code, message) in cases {
            let error = failure(lines, into: model)
            #expect(error?.code == code)
            #expect(error?.message.hasPrefix("import " + message) == true, "\(error)")
            #expect(error?.message.contains("4711") == false)
        }
        #expect(failure([], into: "Nobody")?.code == .invalidModel)
        #expect(try database.read { try $0.count(of: Employee.all) } == 1)
    }

    @Test func `come in a task, and stop coming when it is cancelled`() async throws {
        let count = Atomic(0)
        var work = ObjectImport(into: untyped, model: "Employee")
        try await work.run {
            let number = count.add(1, ordering: .relaxed).newValue
            return number <= 3 ? Array("{\"number\":\(number),\"name\":\"n\"}".utf8) : nil
        }
        #expect(work.summary.insertedCount == 3)
        let other = untyped
        let task = Task { () -> BullaError.Code? in
            // The sleep ends when the task is cancelled.
            try? await Task.sleep(for: TestMode.patience)
            var work = ObjectImport(into: other, model: "Employee")
            do {
                try await work.run { Array("{\"number\":9,\"name\":\"n\"}".utf8) }
            } catch { return (error as? ObjectError)?.cause?.code }
            return nil
        }
        task.cancel()
        let code = await task.value
        #expect(code == .cancelled)
        #expect(try await untyped.read { try $0.count(of: TextQuery("Employee")) } == 3)
    }

    @Test func `take the place of others where that is asked for`() throws {
        _ = try importing(["{\"number\":7,\"name\":\"a\",\"age\":30}"])
        let summary = try importing(
            ["{\"number\":7,\"name\":\"b\"}", "{\"number\":8,\"name\":\"c\"}"], upsert: true)
        #expect(summary.insertedCount == 1)
        #expect(summary.replacedCount == 1)
        let employee = try database.read { try $0.fetch(Employee.self, key: 7) }
        #expect(employee == Employee(number: 7, name: "b"))
    }
}
