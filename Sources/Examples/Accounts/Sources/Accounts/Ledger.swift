public import Bulla
public import BullaObjects

/// Accounts, and the transfers between them.
public struct Ledger: Sendable {
    /// The store of the accounts and entries.
    public let database: ObjectDatabase

    /// Opens a ledger, or creates one; migrates a ledger of an older version of this program.
    ///
    /// - Throws: the errors of `ObjectDatabase.open`.
    public init(at path: String, key: StoreKey) throws(ObjectError) {
        database = try .open(
            at: path, key: key, models: Account.self, Entry.self, migrations: Self.migrations)
    }

    /// Opens an account.
    ///
    /// - Throws: `duplicateKey` if another account has its number.
    public func add(_ account: Account) throws {
        try database.write { try $0.insert(account) }
    }

    /// Closes an account; returns `false` if the ledger does not have it.
    ///
    /// - Throws: `referenced` if the account has entries.
    public func close(_ account: Account) throws -> Bool {
        try database.write { try $0.delete(Account.self, key: account.modelKey) }
    }

    /// Records a transfer from one account to another.
    ///
    /// - Throws: `notFound` if one of the accounts is closed. The transfer must check this, because
    ///   a link may lead to an object that does not exist.
    @discardableResult
    public func transfer(_ cents: Int, from: Account, to: Account) throws -> Entry {
        try database.write { transaction in
            for account in [from, to] {
                guard try transaction.fetch(Account.self, key: account.modelKey) != nil else {
                    throw ObjectError(.notFound, "account \(account.number) is closed")
                }
            }
            let last = try transaction.max(\.number, of: Entry.all) ?? 0
            let entry = Entry(number: last + 1, from: from, to: to, cents: cents)
            try transaction.insert(entry)
            return entry
        }
    }

    /// The sum of an account's credits minus the sum of its debits, in hundredths of the currency.
    public func balance(of account: Account) throws -> Int {
        try database.read { snapshot in
            try snapshot.sum(\.cents, of: account.credits.query)
                - snapshot.sum(\.cents, of: account.debits.query)
        }
    }

    /// The accounts of all owners with this last name.
    public func accounts(of lastName: String) throws -> [Account] {
        try database.read { try $0.fetch(Account.where { $0.lastName == lastName }) }
    }
}
