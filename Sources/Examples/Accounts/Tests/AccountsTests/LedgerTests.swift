import Accounts
import BullaObjects
import Testing

@Suite struct `A ledger` {
    private let folder: Folder
    private let ledger: Ledger
    private let ada = Account(number: 1, firstNames: "Ada", lastName: "Lovelace")
    private let barn = Account(number: 2, firstNames: "", lastName: "Barn")

    init() throws {
        folder = try Folder()
        ledger = try folder.ledger()
        for account in [ada, barn] { try ledger.add(account) }
    }

    @Test func `knows what each account has`() throws {
        try ledger.transfer(500, from: barn, to: ada)
        try ledger.transfer(200, from: ada, to: barn)
        #expect(try ledger.balance(of: ada) == 300)
        #expect(try ledger.balance(of: barn) == -300)
        #expect(try ledger.accounts(of: "Lovelace") == [ada])
    }

    @Test func `keeps an account that has entries`() throws {
        let entry = try ledger.transfer(500, from: barn, to: ada)
        let error = #expect(throws: ObjectError.self) { try ledger.close(ada) }
        #expect(error?.code == .referenced)
        #expect(try ledger.balance(of: ada) == 500)
        try ledger.database.write { transaction in
            let wasThere = try transaction.delete(Entry.self, key: entry.number)
            #expect(wasThere)
        }
        #expect(try ledger.close(ada) && !ledger.close(ada))
    }

    @Test func `writes nothing to an account that is closed`() throws {
        #expect(try ledger.close(ada))
        let error = #expect(throws: ObjectError.self) {
            try ledger.transfer(500, from: barn, to: ada)
        }
        #expect(error?.code == .notFound)
        #expect(try ledger.database.read { try $0.count(of: Entry.all) } == 0)
    }
}
