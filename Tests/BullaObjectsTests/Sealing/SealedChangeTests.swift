import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `Sealed models that change` {
    private let scratch: Scratch
    private let store: Store

    init() throws {
        scratch = try Scratch()
        store = try Store.open(at: scratch.path("s"), key: StoreKind.gcm.key())
        let database = try ObjectDatabase(store, models: [Login.self, Member.self])
        try database.createVault(named: "logins", keys: [Self.key(1)])
        try database.createVault(named: "pins", keys: [Self.key(2)])
        try database.write { transaction in
            for id in 0..<Self.count {
                var login = Login(
                    id, site: "s\(id)", user: "u\(id)", password: try Secret("p\(id)"))
                login.notes = ["n\(id)"]
                try transaction.insert(login)
                try transaction.insert(Member(id, name: "m\(id)", pin: "\(id)"))
            }
            let new = try Secret("new")
            try transaction.update(Login.self, key: 3) { $0.password.change(to: new) }
        }
    }

    /// More objects than a migration has in memory at a time.
    private static let count = 300

    private static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    private func expectAccounts(_ database: ObjectDatabase) throws {
        try database.openVault(named: "logins", key: Self.key(1))
        try database.read { snapshot in
            let opened = try snapshot.openAll(Account.all)
            #expect(opened.failures.isEmpty)
            #expect(opened.objects.map(\.user) == (0..<Self.count).map { "u\($0)" })
            #expect(opened.objects.allSatisfy { $0.useCount == 5 && $0.owner == nil })
            let passwords = try opened.objects.map { account in
                try account.password.withCleartext { bytes in
                    bytes.withView { String(decoding: $0.copied(), as: UTF8.self) }
                }
            }
            #expect(passwords == (0..<Self.count).map { $0 == 3 ? "new" : "p\($0)" })
            let former = try snapshot.history(Account.self, key: 3, of: \.password)
            let lengths = try former.map { try $0.withCleartext { $0.byteCount } }
            #expect(lengths == [2])
        }
    }

    @Test func `open under another name, with properties that came since`() throws {
        let database = try ObjectDatabase(store, models: [Account.self, Member.self])
        try expectAccounts(database)
        try database.write { transaction in
            let count = try transaction.update(Account.all) { $0.useCount += 1 }
            #expect(count == Self.count)
        }
        let account: Account? = try database.read { try $0.fetch(Account.self, key: 7) }
        #expect(account?.useCount == 6)
        // The former program gets an error.
        let error = #expect(throws: ObjectError.self) {
            try ObjectDatabase(store, models: [Login.self, Member.self])
        }
        #expect(error?.code == .schemaChanged)
        #expect(try store.check().isSound)
    }

    @Test func `open when all objects were written anew, which needs no vault`() throws {
        let sites = Migration("sites in capitals", of: Account.self) { object, _ in
            try object.set("site", to: object.value("site", as: String.self).uppercased())
        }
        let database = try ObjectDatabase(
            store, models: [Account.self, Member.self], migrations: [sites])
        let site = try database.read { try $0.fetch(Account.self, key: 7)?.site }
        #expect(site == "S7")
        try expectAccounts(database)
        #expect(try database.pruneSchema() == false)
        try expectAccounts(database)
    }

    @Test func `do not get another key`() throws {
        let texts = Migration("numbers are texts", of: NamedMember.self) { object, _ in
            try object.set("number", to: "\(object.value("number", as: Int.self))")
        }
        let error = #expect(throws: ObjectError.self) {
            try ObjectDatabase(
                store, models: [Login.self, NamedMember.self], migrations: [texts])
        }
        #expect(error?.code == .migrationNeeded)
        #expect(error?.message.contains("sealed") == true)
        let database = try ObjectDatabase(store, models: [Login.self, Member.self])
        try database.openVault(named: "pins", key: Self.key(2))
        let member = try #require(try database.read { try $0.fetch(Member.self, key: 9) })
        #expect(try member.pin.open() == "9")
    }

    /// The number of a model's former values.
    private func formerCount(_ model: String, in database: ObjectDatabase) throws -> Int {
        let tree = try #require(database.schema.model(named: model)?.historyTree)
        return try store.read { try $0.count(of: try $0.tree(named: "object \(tree)")) }
    }

    @Test func `go with their former values`() throws {
        let database = try ObjectDatabase(store, models: [Login.self, Member.self])
        #expect(try formerCount("Login", in: database) == 1)
        try database.write { transaction in
            let count = try transaction.delete(Login.all)
            #expect(count == Self.count)
        }
        #expect(try formerCount("Login", in: database) == 0)
    }

    private func changePins(_ database: ObjectDatabase) throws {
        try database.openVault(named: "pins", key: Self.key(2))
        for round in 0..<2 {
            try database.write { transaction in
                for number in 0..<9 {
                    try transaction.update(Member.self, key: number) {
                        $0.pin.change(to: "round \(round)")
                    }
                }
            }
        }
        #expect(try formerCount("Member", in: database) == 18)
    }

    @Test func `leave no former value of an object that a migration deletes`() throws {
        try changePins(ObjectDatabase(store, models: [Login.self, Member.self]))
        let fewer = Migration("fewer members", of: Member.self) { member, _ in
            if try member.value("number", as: Int.self) < 5 { member.delete() }
        }
        let database = try ObjectDatabase(
            store, models: [Login.self, Member.self], migrations: [fewer])
        #expect(try formerCount("Member", in: database) == 8)
    }

    @Test func `keep fewer former values where fewer are asked for`() throws {
        try changePins(ObjectDatabase(store, models: [Login.self, Member.self]))
        var database = try ObjectDatabase(store, models: [ShortMember<String, OneFormer>.self])
        #expect(try formerCount("Member", in: database) == 9)
        try database.openVault(named: "pins", key: Self.key(2))
        let former = try database.read {
            try $0.history(ShortMember<String, OneFormer>.self, key: 3, of: \.pin)
        }
        #expect(try former.map { try $0.open() } == ["round 0"])
        database = try ObjectDatabase(store, models: [ShortMember<String, NoHistory>.self])
        #expect(try formerCount("Member", in: database) == 0)
    }

    @Test func `lose what has gone when the schema is pruned, and nothing else`() throws {
        let database = try ObjectDatabase(
            store, models: [Account.self, ShortMember<String, OneFormer>.self])
        #expect(try database.pruneSchema())
        try expectAccounts(database)
        try database.openVault(named: "pins", key: Self.key(2))
        let member = try #require(
            try database.read { try $0.fetch(ShortMember<String, OneFormer>.self, key: 9) })
        #expect(try member.pin.open() == "9")
    }

    @Test func `do not take bytes for texts`() throws {
        let error = #expect(throws: ObjectError.self) {
            try ObjectDatabase(store, models: [ShortMember<Secret, NoHistory>.self])
        }
        #expect(error?.code == .migrationNeeded)
    }
}
