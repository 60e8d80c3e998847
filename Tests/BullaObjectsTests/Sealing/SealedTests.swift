import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `Sealed objects` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func key(_ number: UInt8) throws -> StoreKey {
        try StoreKey((0..<64).map { $0 &* 3 &+ number })
    }

    /// A database that gets both vaults.
    private func open(_ kind: StoreKind = .gcm, _ name: String = "s") throws -> ObjectDatabase {
        let database = try openLocked(kind, name)
        for (vault, number) in [("logins", UInt8(1)), ("pins", 2)] {
            if try database.store.vaultNames().contains(vault) {
                try database.openVault(named: vault, key: Self.key(number))
            } else {
                try database.createVault(named: vault, keys: [Self.key(number)])
            }
        }
        return database
    }

    private func openLocked(
        _ kind: StoreKind = .gcm, _ name: String = "s"
    ) throws -> ObjectDatabase {
        try ObjectDatabase.open(
            at: scratch.path(name), key: kind.key(), models: Member.self, Login.self)
    }

    private static func login(_ id: Int) throws -> Login {
        var login = Login(
            id, site: "site \(id % 10)", user: "user \(id)", password: try Secret("secret \(id)"))
        login.notes = ["note \(id)"]
        return login
    }

    private func insertLogins(_ count: Int, into database: ObjectDatabase) throws {
        try database.write { transaction in
            for id in 0..<count { try transaction.insert(Self.login(id)) }
        }
    }

    private func vault(_ name: String, of database: ObjectDatabase, _ key: UInt8) throws -> Vault {
        try database.openVault(named: name, key: Self.key(key))
    }

    private static func text(_ secret: Sealed<Secret>) throws -> String {
        try secret.withCleartext { bytes in
            bytes.withView { String(decoding: $0.copied(), as: UTF8.self) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `come back as they were stored, when they are opened`(kind: StoreKind) throws {
        var database = try open(kind)
        try insertLogins(20, into: database)
        try database.write { try $0.insert(Member(7, name: "Enlil", pin: "1234")) }
        try database.store.close()
        database = try open(kind)
        try database.read { snapshot in
            let sealed = try #require(try snapshot.fetch(Login.self, key: 3))
            #expect(try sealed.key == ModelKey(3))
            #expect(try sealed.site == "site 3")
            let login = try sealed.open()
            #expect(login.user == "user 3")
            #expect(login.notes == ["note 3"])
            #expect(try Self.text(login.password) == "secret 3")
            let member = try #require(try snapshot.fetch(Member.self, key: 7))
            #expect(try member.pin.open() == "1234")
            #expect(member.pin.date.map { abs($0.timeIntervalSinceNow) < 3600 } == true)
            #expect(try snapshot.fetch(Login.self, key: 99)?.site == nil)
        }
        #expect(try database.store.check().isSound)
    }

    @Test func `are not opened by being fetched, found, counted and listed`() throws {
        let database = try open()
        let vault = try vault("logins", of: database, 1)
        let count = TestMode.pick(short: 200, long: 10_000)
        try insertLogins(count, into: database)
        let before = vault.statistics.openedCount
        try database.read { snapshot in
            let all: [SealedObject<Login>] = try snapshot.fetch(Login.all)
            #expect(all.count == count)
            let sites = try all.map { try $0.site }
            #expect(sites.count { $0 == "site 3" } == count / 10)
            #expect(try snapshot.count(of: Login.where { $0.site == "site 3" }) == count / 10)
            let found: [SealedObject<Login>] = try snapshot.fetch(
                Login.where { $0.site == "site 4" }.sorted(by: \.id, order: .descending).limit(2))
            let keys = try found.map { try $0.key }
            #expect(keys == [ModelKey(count - 6), ModelKey(count - 16)])
            #expect(vault.statistics.openedCount == before)
            let opened = try found[0].open()
            #expect(vault.statistics.openedCount == before + 1)
            #expect(try Self.text(opened.password) == "secret \(count - 6)")
            #expect(vault.statistics.openedCount == before + 2)
        }
    }

    @Test func `keep their blobs where they are saved as they were`() throws {
        let database = try open()
        let vault = try vault("logins", of: database, 1)
        try insertLogins(20, into: database)
        let before = vault.statistics.sealedCount
        try database.write { transaction in
            for id in 0..<20 {
                let isThere = try transaction.update(Login.self, key: id) { login in
                    if id == 5 { login.user = "another" }
                    if id == 6 { login.site = "another" }
                }
                #expect(isThere)
                // Save objects that are equal to the stored ones, but newly made.
                try transaction.upsert(id == 5 || id == 6 ? Self.login(7) : Self.login(id))
            }
        }
        #expect(vault.statistics.sealedCount == before + 1)
        try database.read { snapshot in
            let changed = try snapshot.fetch(Login.self, key: 5)?.open()
            #expect(changed?.user == "another")
            #expect(try snapshot.fetch(Login.self, key: 6)?.site == "another")
            #expect(try snapshot.history(Login.self, key: 5, of: \.password).isEmpty)
        }
    }

    @Test func `keep former values, the newest first, as many as are to be kept`() throws {
        let database = try open()
        try database.write { transaction in
            try transaction.insert(Self.login(1))
            try transaction.insert(Member(1, name: "Enki", pin: "0"))
        }
        for round in 1...6 {
            try database.write { transaction in
                try transaction.update(Login.self, key: 1) { login throws(ObjectError) in
                    login.password.change(to: try Self.secret("round \(round)"))
                }
                try transaction.update(Member.self, key: 1) { $0.pin.change(to: "\(round)") }
                try transaction.update(Member.self, key: 1) { $0.name += "!" }
            }
        }
        try database.read { snapshot in
            let passwords = try snapshot.history(Login.self, key: 1, of: \.password)
            let texts = try passwords.map(Self.text)
            #expect(texts == ["round 5", "round 4", "round 3"])
            let pins = try snapshot.history(Member.self, key: 1, of: \.pin)
            let values = try pins.map { try $0.open() }
            #expect(values == ["5", "4"])
            let dates = pins.compactMap(\.date)
            #expect(dates.count == 2 && dates[0] > dates[1])
            #expect(try snapshot.fetch(Member.self, key: 1)?.pin.open() == "6")
        }
        try database.write { transaction in
            try transaction.delete(Login.self, key: 1)
            try transaction.insert(Self.login(1))
        }
        let former = try database.read { try $0.history(Login.self, key: 1, of: \.password) }
        #expect(former.isEmpty)
    }

    private static func secret(_ text: String) throws(ObjectError) -> Secret {
        do { return try Secret(text) } catch { throw ObjectError(error) }
    }

    /// The rows of a model, by the bytes of their keys.
    private func rows(_ model: String, in database: ObjectDatabase) throws -> [[UInt8]: [UInt8]] {
        let number = try #require(database.schema.model(named: model)?.number)
        return try database.store.read { snapshot in
            var rows: [[UInt8]: [UInt8]] = [:]
            try snapshot.scan(snapshot.tree(named: "object \(number)")) { key, row in
                rows[key.withView { $0.copied() }] = row.withView { $0.copied() }
                return .next
            }
            return rows
        }
    }

    private func put(
        _ row: [UInt8], for key: [UInt8], of model: String, in database: ObjectDatabase
    ) throws {
        let number = try #require(database.schema.model(named: model)?.number)
        try database.store.write { change in
            try change.put(row, forKey: key, in: change.tree(named: "object \(number)"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `differ though they are equal, and do not open in another's place`(
        kind: StoreKind
    ) throws {
        let database = try open(kind)
        try database.write { transaction in
            for id in 1...4 {
                var login = try Self.login(9)
                login.id = id
                try transaction.insert(login)
                try transaction.insert(Member(id, name: "same", pin: "same"))
            }
        }
        for model in ["Login", "Member"] {
            let rows = try rows(model, in: database)
            #expect(Set(rows.values).count == 4)
            let keys = rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
            try put(rows[keys[1]] ?? [], for: keys[0], of: model, in: database)
        }
        try database.read { snapshot in
            let error = #expect(throws: ObjectError.self) {
                try snapshot.fetch(Login.self, key: 1)?.open()
            }
            #expect(error?.code == .sealed)
            #expect(error?.cause?.code == .sealDamaged)
            #expect(error?.message.contains("Login 1") == true)
            let member = try #require(try snapshot.fetch(Member.self, key: 1))
            let damage = #expect(throws: ObjectError.self) { try member.pin.open() }
            #expect(damage?.cause?.code == .sealDamaged)
            #expect(damage?.message.contains("Member 1.pin") == true)
        }
    }

    @Test func `cost no other when one of them is damaged`() throws {
        let database = try open()
        try insertLogins(100, into: database)
        let rows = try rows("Login", in: database)
        let keys = rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        var row = try #require(rows[keys[42]])
        row[row.count - 1] ^= 1
        try put(row, for: keys[42], of: "Login", in: database)
        // A row of three properties, all of them missing.
        try put([0x11, 3, 0, 0], for: keys[43], of: "Login", in: database)
        try database.read { snapshot in
            let opened = try snapshot.openAll(Login.all)
            #expect(opened.objects.count == 98)
            #expect(opened.failures.map(\.code) == [.sealed, .damaged])
            #expect(opened.failures.map(\.cause?.code) == [.sealDamaged, nil])
            #expect(opened.failures[0].message.contains("Login 42"))
            #expect(opened.failures[1].message.contains("Login 43"))
        }
        // Damaged objects can be replaced and deleted.
        try database.write { transaction in
            try transaction.upsert(Self.login(42))
            try transaction.upsert(Self.login(43))
        }
        let opened = try database.read { try $0.openAll(Login.all) }
        #expect(opened.objects.count == 100)
    }

    @Test func `are not lost where a former value that is damaged is to come back`() throws {
        let database = try open()
        try insertLogins(1, into: database)
        let new = try Secret("new")
        try database.write { try $0.update(Login.self, key: 0) { $0.password.change(to: new) } }
        let tree = try #require(database.schema.model(named: "Login")?.historyTree)
        try database.store.write { change in
            let tree = try change.tree(named: "object \(tree)")
            var entry: (key: [UInt8], blob: [UInt8]) = ([], [])
            try change.scan(tree) { key, blob in
                entry = (key.withView { $0.copied() }, blob.withView { $0.copied() })
                return .stop
            }
            entry.blob[entry.blob.count - 1] ^= 1
            try change.put(entry.blob, forKey: entry.key, in: tree)
        }
        let error = #expect(throws: ObjectError.self) {
            try database.write { transaction in
                let former = try transaction.history(Login.self, key: 0, of: \.password)
                try transaction.update(Login.self, key: 0) { $0.password = former[0] }
            }
        }
        #expect(error?.cause?.code == .sealDamaged)
        let login: Login? = try database.read { try $0.fetch(Login.self, key: 0) }
        #expect(try login.map { try Self.text($0.password) } == "new")
    }

    @Test func `that are equal are one, in whatever order their entries come`() throws {
        let database = try open()
        let vault = try vault("pins", of: database, 2)
        let tree = try database.store.read { try $0.tree(named: "objects") }
        let identity = SealedIdentity(tree: tree, key: "x")
        let names = (0..<40).map { "name \($0)" }
        let one = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        var other = [String: Int](minimumCapacity: 500)
        for name in names.reversed() { other[name] = 1 }
        let blob = try one._sealed(in: vault, for: identity)
        #expect(try other._isHeld(by: blob, in: vault, for: identity))
        #expect(try [String: Int]._opened(blob, in: vault, for: identity) == one)
    }

    @Test func `are opened by tasks`() async throws {
        let database = try openLocked()
        let vault = try await database.createVault(named: "logins", keys: [Self.key(1)])
        try await database.write { try $0.insert(Self.login(3)) }
        #expect(database.lockVault(named: "logins") && vault.isLocked)
        do {
            try await database.openVault(named: "logins", key: Self.key(2))
            Issue.record("opened with another key")
        } catch { #expect((error as? ObjectError)?.cause?.code == .wrongKey) }
        try await database.openVault(named: "logins", key: Self.key(1))
        let login = try await database.read { try $0.fetch(Login.self, key: 3)?.open() }
        #expect(login?.user == "user 3")
        try await database.store.close()
    }

    @Test func `say what is wrong with a vault, each by its own error`() throws {
        func key(ofFile number: Int) throws -> StoreKey {
            try .password(Secret("password \(number)"))
        }
        let names = ["a", "b", "c"]
        let databases = try names.enumerated().map { index, name in
            let database = try openLocked(.gcm, name)
            try database.createVault(named: "logins", keys: [key(ofFile: index)])
            try database.write { try $0.insert(Self.login(index)) }
            return database
        }
        func refusal(_ body: () throws -> Void) -> BullaError.Code? {
            do { try body() } catch { return (error as? ObjectError)?.cause?.code }
            return nil
        }
        let first = databases[0]
        let sealed = try #require(try first.read { try $0.fetch(Login.self, key: 0) })
        let password = try sealed.open().password
        // The vault is locked, and has not been opened again.
        #expect(first.lockVault(named: "logins"))
        #expect(!first.lockVault(named: "logins"))
        #expect(refusal { _ = try sealed.open() } == .vaultLocked)
        #expect(refusal { _ = try password.open() } == .vaultLocked)
        #expect(refusal { try first.write { try $0.insert(Self.login(5)) } } == .vaultLocked)
        // Refused, in this order: the key of another file's vault, that vault itself, and a name
        // that no vault has.
        #expect(refusal { try first.openVault(named: "logins", key: key(ofFile: 1)) } == .wrongKey)
        let other = try databases[1].store.openVault(named: "logins", key: key(ofFile: 1))
        #expect(refusal { try first.use(other) } == .otherStore)
        #expect(
            refusal { try first.openVault(named: "none", key: key(ofFile: 0)) } == .vaultNotFound)
        // Put in a row that was sealed in another file's vault.
        try first.openVault(named: "logins", key: key(ofFile: 0))
        let rows = try rows("Login", in: databases[2])
        for (key, row) in rows { try put(row, for: key, of: "Login", in: first) }
        #expect(
            refusal { _ = try first.read { try $0.fetch(Login.self, key: 2)?.open() } }
                == .otherVault)
        #expect(try sealed.open().user == "user 0")
        // An object fetched from one file is sealed again in another.
        let moved = try #require(
            try databases[2].read { try $0.fetch(Login.self, key: 2)?.open() })
        try databases[1].write { try $0.upsert(moved) }
        let there = try #require(
            try databases[1].read { try $0.fetch(Login.self, key: 2)?.open() })
        let text = try Self.text(there.password)
        #expect(text == "secret 2")
    }

    @Test func `are bound to their object: a value that is given another is sealed anew`() throws {
        let database = try open()
        try database.write { transaction in
            try transaction.insert(Member(1, name: "a", pin: "1"))
            var copy = try #require(try transaction.fetch(Member.self, key: 1))
            copy.number = 2
            try transaction.insert(copy)
        }
        let copy = try #require(try database.read { try $0.fetch(Member.self, key: 2) })
        #expect(try copy.pin.open() == "1")
    }

    @Test func `show nothing of what they hold`() throws {
        let fresh = Sealed("canary")
        #expect("\(fresh)" == "sealed")
        #expect(String(reflecting: fresh) == "sealed")
        var text = ""
        dump(fresh, to: &text)
        #expect(!text.contains("canary"))
        #expect(try JSONEncoder().encode([fresh]) == Data("[\"sealed\"]".utf8))
        let error = #expect(throws: ObjectError.self) { try Sealed<String>().open() }
        #expect(error?.code == .notFound)
        #expect(Sealed<String>().isEmpty && !fresh.isEmpty)
    }
}
