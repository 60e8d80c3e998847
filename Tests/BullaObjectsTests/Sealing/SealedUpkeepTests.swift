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
        // Of two values sealed one after the other, the older one goes.
        let middle = dates[1].addingTimeInterval(dates[0].timeIntervalSince(dates[1]) / 2)
        #expect(try prune(middle) == 1)
        #expect(try history() == [dates[0]])
        #expect(try prune(Date(timeIntervalSinceReferenceDate: .infinity)) == 1)
        #expect(try history().isEmpty)
    }
}
