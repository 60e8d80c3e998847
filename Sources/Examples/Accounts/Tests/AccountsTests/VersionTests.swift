import Accounts
import Bulla
import BullaObjects
import FormerAccounts
import Testing

@Suite struct `A ledger of the first version` {
    private let folder: Folder
    private let names = ["Ada King Lovelace", "Barn", "Charles Babbage"]

    /// Creates a ledger with the first version, and closes it.
    init() throws {
        folder = try Folder()
        let first = try Version1.open(at: folder.path, key: folder.key)
        let accounts = zip(1..., names).map { Version1.Account(number: $0, holder: $1) }
        try first.write { transaction in
            for account in accounts { try transaction.insert(account) }
            for number in 1...300 {
                try transaction.insert(
                    Version1.Entry(
                        number: number, from: accounts[1], to: accounts[number % 2 * 2],
                        cents: number))
            }
        }
        try first.store.close()
    }

    private func expectSecond(_ database: ObjectDatabase) throws {
        try database.read { snapshot in
            let accounts = try snapshot.fetch(Version2.Account.all)
            #expect(accounts.map(\.owner) == names)
            #expect(accounts.allSatisfy { $0.currency == "EUR" })
            let query = Version2.Account.where { $0.owner == "Barn" }
            #expect(try snapshot.explain(query).contains("the index of Account.owner"))
            #expect(try snapshot.fetch(query).map(\.number) == [2])
        }
    }

    private func expectThird(_ ledger: Ledger) throws {
        let accounts = try ledger.database.read { try $0.fetch(Account.all) }
        #expect(accounts.map(\.firstNames) == ["Ada King", "", "Charles"])
        #expect(accounts.map(\.lastName) == ["Lovelace", "Barn", "Babbage"])
        #expect(accounts.allSatisfy { $0.currency == "EUR" })
        #expect(try ledger.accounts(of: "Babbage") == [accounts[2]])
        #expect(try accounts.map(ledger.balance) == [22_650, -45_150, 22_500])
        #expect(throws: ObjectError.self) { try ledger.close(accounts[1]) }
        #expect(try ledger.database.store.check().isSound)
    }

    @Test(arguments: [false, true])
    func `is opened by the third, straight or through the second`(isThroughSecond: Bool) throws {
        if isThroughSecond {
            let second = try Version2.open(at: folder.path, key: folder.key)
            try expectSecond(second)
            try second.store.close()
        }
        try expectThird(folder.ledger())
        // The second opening does not run the migration again.
        try expectThird(folder.ledger())
    }

    @Test func `keeps its old program out, or lets it read on`() throws {
        let old = try Version1.open(at: folder.path, key: folder.key)
        let second = try Version2.open(at: folder.path, key: folder.key)
        // A running program gets the error at its next transaction.
        #expect(refusal { try old.read { _ in } } == .schemaChanged)
        #expect(
            refusal { _ = try Version1.open(at: folder.path, key: folder.key) } == .schemaChanged)
        let reader = try Version1.open(at: folder.path, key: folder.key, ifNewer: .readOnly)
        try second.write { transaction in
            try transaction.update(Version2.Account.self, key: 2) { $0.owner = "Granary" }
        }
        let found = try reader.read { try $0.fetch(Version1.Account.self, key: 2) }
        let account = try #require(found)
        #expect(account.holder == "Granary")
        #expect(refusal { try reader.write { try $0.upsert(account) } } == .readOnly)
    }

    /// The migration to the third version removed the property that the earlier versions read.
    @Test func `is closed to all former programs since the third`() throws {
        _ = try folder.ledger()
        let (path, key) = (folder.path, folder.key)
        for newer in [ObjectDatabase.NewerSchema.refuse, .readOnly] {
            let first = refusal { _ = try Version1.open(at: path, key: key, ifNewer: newer) }
            let second = refusal { _ = try Version2.open(at: path, key: key, ifNewer: newer) }
            #expect(first == .schemaChanged && second == .schemaChanged)
        }
    }
}
