public import Bulla
public import BullaObjects

/// Accounts, and what went from one to another.
public struct Ledger: Sendable {
    /// The store of both.
    public let database: ObjectDatabase

    /// Opens a ledger, or makes it where there is none; one that an older version of this program
    /// has made becomes one of this version.
    ///
    /// - Throws: what `ObjectDatabase.open` says.
    public init(at path: String, key: StoreKey) throws(ObjectError) {
        database = try .open(
            at: path, key: key, models: Account.self, Entry.self, migrations: Self.migrations)
    }

    /// Opens an account.
    ///
    /// - Throws: `duplicateKey` where its number is taken.
    public func add(_ account: Account) throws {
        try database.write { try $0.insert(account) }
    }

    /// Closes an account; `false` where there is none.
    ///
    /// - Throws: `referenced` where there are entries of it.
    public func close(_ account: Account) throws -> Bool {
        try database.write { try $0.delete(Account.self, key: account.modelKey) }
    }

    /// Writes down what goes from one account to another.
    ///
    /// - Throws: `notFound` where one of them is closed: a link by itself does not ask that.
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

    /// What has come to an account, less what has gone.
    public func balance(of account: Account) throws -> Int {
        try database.read { snapshot in
            try snapshot.sum(\.cents, of: account.credits.query)
                - snapshot.sum(\.cents, of: account.debits.query)
        }
    }

    /// The accounts of all that have a last name.
    public func accounts(of lastName: String) throws -> [Account] {
        try database.read { try $0.fetch(Account.where { $0.lastName == lastName }) }
    }
}
