public import Bulla
public import BullaObjects

/// The ledger as it went on: accounts have an owner, by whom they are found, and a currency.
///
/// Nothing of that needs a migration.
public enum Version2 {
    /// What somebody has.
    @Model public struct Account: Hashable {
        /// Its number.
        @Key public var number: Int
        /// Whose it is.
        @Renamed(from: "holder") @Indexed public var owner: String
        /// What its cents are hundredths of.
        public var currency = "EUR"

        /// An account.
        public init(number: Int, owner: String) { (self.number, self.owner) = (number, owner) }
    }

    /// What went from one account to another.
    @Model public struct Entry: Hashable {
        /// Its number.
        @Key public var number: Int
        /// From where.
        @OnDelete(.deny) public var from: Link<Account>
        /// Where to.
        @OnDelete(.deny) public var to: Link<Account>
        /// How much.
        public var cents: Int
    }

    /// Opens a ledger as the second version of the program does.
    public static func open(
        at path: String, key: StoreKey, ifNewer newer: ObjectDatabase.NewerSchema = .refuse
    ) throws(ObjectError) -> ObjectDatabase {
        try .open(at: path, key: key, models: Account.self, Entry.self, ifNewer: newer)
    }
}
