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
        try database.createVault("logins", keys: [Self.key(1)])
        try database.createVault("pins", keys: [Self.key(2)])
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

    /// More than a migration has in memory at a time.
    private static let count = 300

    private static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    private func expectAccounts(_ database: ObjectDatabase) throws {
        try database.unlock("logins", key: Self.key(1))
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
        // The former program is told.
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
        try database.unlock("pins", key: Self.key(2))
        let member = try #require(try database.read { try $0.fetch(Member.self, key: 9) })
        #expect(try member.pin.open() == "9")
    }

    @Test func `go with their former values`() throws {
        let database = try ObjectDatabase(store, models: [Login.self, Member.self])
        let tree = try #require(database.schema.model(named: "Login")?.historyTree)
        func count() throws -> Int {
            try store.read { try $0.count(of: try $0.tree(named: "object \(tree)")) }
        }
        #expect(try count() == 1)
        try database.write { transaction in
            let count = try transaction.delete(Login.all)
            #expect(count == Self.count)
        }
        #expect(try count() == 0)
    }
}
