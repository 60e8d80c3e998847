import Bulla
import BullaObjects
import BullaTestSupport
import Foundation
import Testing

@Suite struct `What is sealed` {
    private let scratch: Scratch
    private let database: ObjectDatabase
    private let vault: Vault

    init() throws {
        scratch = try Scratch()
        database = try ObjectDatabase.open(
            at: scratch.path("s.bulla"), key: StoreKind.gcm.key(), models: Login.self)
        vault = try database.createVault(named: "logins", keys: [StoreKey(StoreKind.keyBytes)])
    }

    private func save(_ password: String) throws {
        try database.write { transaction in
            try transaction.upsert(
                Login(1, site: "Ur", user: "a", password: try Secret(password)))
        }
    }

    @Test func `is followed without being opened`() throws {
        var stream: ObjectStream<SealedChange<Login>>.AsyncIterator =
            database.changes(of: Login.all).makeAsyncIterator()
        let first = try #require(try stream.next(waitingAtMost: TestMode.patience))
        #expect(first.resultCount == 0)
        try save("one")
        let before = vault.statistics.openedCount
        let second = try #require(try stream.next(waitingAtMost: TestMode.patience))
        #expect(try second.inserted.map { try $0.site } == ["Ur"])
        #expect(vault.statistics.openedCount == before)
        #expect(try second.inserted.first?.open().user == "a")
        try database.write { _ = try $0.delete(Login.all) }
        let third = try #require(try stream.next(waitingAtMost: TestMode.patience))
        #expect(third.removed == [ModelKey(1)] && third.resultCount == 0)
    }

    @Test func `is fetched by a link without being opened`() throws {
        try save("one")
        let (link, missing) = (Link<Login>(key: 1), Link<Login>(key: 2))
        let before = vault.statistics.openedCount
        let snapshot = try database.makeSnapshot()
        let sealed = try snapshot.fetch(link)
        #expect(try sealed?.site == "Ur")
        #expect(vault.statistics.openedCount == before)
        #expect(try sealed?.open().user == "a")
        #expect(vault.statistics.openedCount == before + 1)
        // Where a plain object is asked for, it is opened at once.
        let plain: Login? = try snapshot.fetch(link)
        #expect(plain?.user == "a")
        #expect(vault.statistics.openedCount == before + 2)
        let none = try snapshot.fetch(missing)
        #expect(try none?.site == nil)
    }

    private func saveMany() throws {
        try database.write { transaction in
            for id in 0..<200 {
                try transaction.insert(
                    Login(id, site: "s\(id)", user: "u\(id)", password: try Secret("p")))
            }
        }
    }

    @Test func `is visited without being opened, until the visitor stops`() throws {
        try saveMany()
        let before = vault.statistics.openedCount
        try database.read { snapshot in
            var sites: [String] = []
            try snapshot.forEach(Login.all.sorted(by: \.id, order: .descending)) { login in
                sites.append(try login.site)
                return sites.count < 3 ? .next : .stop
            }
            #expect(sites == ["s199", "s198", "s197"])
            #expect(vault.statistics.openedCount == before)
            // If the closure takes plain objects, they are opened for it.
            var users: [String] = []
            try snapshot.forEach(Login.all.limit(2)) { (login: Login) in
                users.append(login.user)
                return .next
            }
            #expect(users == ["u0", "u1"])
            #expect(vault.statistics.openedCount == before + 2)
            let error = #expect(throws: BullaError.self) {
                try snapshot.forEach(Login.all) { (_: SealedObject<Login>) in
                    throw BullaError(.full, "stop here")
                }
            }
            #expect(error?.code == .full)
        }
    }

    @Test func `comes one by one without being opened`() async throws {
        try saveMany()
        let before = vault.statistics.openedCount
        var ids: [Int] = []
        for try await login in database.objects(of: Login.all) {
            ids.append(try login.key.values)
            #expect(try login.site == "s\(ids.count - 1)")
        }
        #expect(ids == Array(0..<200))
        #expect(vault.statistics.openedCount == before)
        let plain: ObjectSequence<Login> = database.objects(of: Login.all.limit(3))
        var users: [String] = []
        for try await login in plain { users.append(login.user) }
        #expect(users == ["u0", "u1", "u2"])
        #expect(vault.statistics.openedCount == before + 3)
    }

    @Test func `is followed as one object without being opened`() throws {
        let stream: ObjectStream<SealedObject<Login>?> = database.values(of: Login.self, key: 1)
        var values = stream.makeAsyncIterator()
        let nothing = try #require(try values.next(waitingAtMost: TestMode.patience))
        #expect(try nothing?.site == nil)
        try save("one")
        let before = vault.statistics.openedCount
        let first = try #require(try values.next(waitingAtMost: TestMode.patience))
        let login = try #require(first)
        #expect(try login.site == "Ur")
        #expect(vault.statistics.openedCount == before)
        #expect(try login.open().user == "a")
        try database.write { _ = try $0.delete(Login.all) }
        let last = try #require(try values.next(waitingAtMost: TestMode.patience))
        #expect(try last?.site == nil)
    }

    @Test func `has former values, which go once they are older than a moment`() throws {
        for password in ["one", "two", "three"] { try save(password) }
        let key = ModelKey(1)
        func history() throws -> [Date] {
            let snapshot = try database.makeSnapshot()
            return try snapshot.history(Login.self, key: key, of: \.password).compactMap(\.date)
        }
        let dates = try history()
        try #require(dates.count == 2)
        func prune(_ date: Date) throws -> Int {
            try database.write { try $0.pruneHistory(of: Login.self, before: date) }
        }
        #expect(try prune(.distantPast) == 0)
        // The moment lies between the times of the two values, so only the older one goes.
        let middle = dates[1].addingTimeInterval(dates[0].timeIntervalSince(dates[1]) / 2)
        #expect(try prune(middle) == 1)
        #expect(try history() == [dates[0]])
        #expect(try prune(Date(timeIntervalSinceReferenceDate: .infinity)) == 1)
        #expect(try history().isEmpty)
    }
}
