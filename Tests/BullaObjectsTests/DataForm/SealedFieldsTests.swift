import Bulla
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `What is sealed, without its program` {
    private let scratch: Scratch
    private let program: ObjectDatabase
    private let database: SchemaDatabase

    init() throws {
        scratch = try Scratch()
        program = try ObjectDatabase.open(
            at: scratch.path("s"), key: StoreKind.gcm.key(), models: Member.self, Login.self)
        for name in ["pins", "logins"] {
            try program.createVault(named: name, keys: [StoreKey(StoreKind.keyBytes)])
        }
        try program.write { transaction in
            try transaction.insert(Member(1, name: "a", pin: "1234"))
            try transaction.insert(
                Login(1, site: "b", user: "c", password: try Secret("hunter2")))
        }
        database = try SchemaDatabase(program.store)
    }

    private func code(_ body: () throws -> Void) -> ObjectError.Code? { thrownError(body)?.code }

    /// - Returns: the code of the error.
    private func writing(_ fields: ObjectFields, into model: String) -> ObjectError.Code? {
        code { _ = try database.write { try $0.upsert(fields, into: model) } }
    }

    private func pin(of number: Int) throws -> String? {
        let member = try program.read { try $0.fetch(Member.self, key: number) }
        return try member?.pin.open()
    }

    @Test func `stays as it is when the rest of an object is changed`() throws {
        try database.write { transaction in
            var member = try #require(try transaction.fetch("Member", key: [.integer(1)]))
            member["name"] = .scalar(.string("z"))
            try transaction.upsert(member, into: "Member")
            try transaction.upsert(
                ObjectFields(["id": .scalar(.integer(1)), "site": .scalar(.string("y"))]),
                into: "Login")
        }
        #expect(try pin(of: 1) == "1234")
        try program.read { snapshot in
            let login = try #require(try snapshot.fetch(Login.self, key: 1) as Login?)
            #expect(login.site == "y")
            #expect(login.user == "c")
        }
    }

    @Test func `is neither made nor moved`() throws {
        var member = try #require(
            try database.read { try $0.fetch("Member", key: [.integer(1)]) })
        member["number"] = .scalar(.integer(2))
        #expect(writing(member, into: "Member") == .sealed)
        member["number"] = .scalar(.integer(1))
        member["pin"] = .sealed([1, 2, 3])
        #expect(writing(member, into: "Member") == .sealed)
        let login = ObjectFields(["id": .scalar(.integer(2)), "site": .scalar(.string("x"))])
        #expect(writing(login, into: "Login") == .sealed)
        // A property that is sealed by itself can be left empty.
        member["pin"] = .null
        member["number"] = .scalar(.integer(3))
        #expect(writing(member, into: "Member") == nil)
        #expect(try program.read { try $0.count(of: Member.all) } == 2)
        #expect(try pin(of: 1) == "1234")
    }

    @Test func `leaves in no export, and enters by no import`() throws {
        let lines = try SchemaStore.lines(of: database)
        let text = lines.map { String(decoding: $0, as: UTF8.self) }
        #expect(text[0].hasPrefix("{\"Member\":{\"number\":1,\"name\":\"a\",\"pin\":{\"sealed\":"))
        #expect(text[1].hasPrefix("{\"Login\":{\"id\":1,\"site\":\"b\",\"(sealed)\":{\"sealed\":"))
        for cleartext in ["1234", "hunter2"] {
            #expect(!text.contains { $0.contains("\"\(cleartext)\"") })
        }
        var work = ObjectImport(into: database, model: nil)
        work.replacesObjects = true
        let error = thrownError { try work.run(lines) }
        #expect(error?.code == .sealed)
        #expect(error?.message.hasPrefix("import line 1: Member.pin: it is sealed") == true)
        work.leavesOutSealed = true
        try work.run(lines)
        #expect(work.summary.replacedCount == 2)
        #expect(try pin(of: 1) == "1234")
    }

    @Test func `is asked for nothing but whether it is there`() throws {
        try database.read { snapshot in
            let count = try snapshot.count(of: TextQuery("Member", where: "pin is not nil"))
            #expect(count == 1)
            for text in ["pin = '1234'", "pin contains '1'", "pin > 1"] {
                let query = TextQuery("Member", where: text)
                #expect(code { _ = try snapshot.count(of: query) } == .invalidQuery)
            }
            let sorted = TextQuery("Member", sortedBy: "pin")
            #expect(code { _ = try snapshot.fetch(sorted) } == .invalidQuery)
        }
    }
}
