public import Bulla
public import BullaObjects

/// The second version of the ledger: an account has a currency, and can be found by its owner.
///
/// These changes need no migration.
public enum Version2 {
    /// An account in the ledger.
    @Model public struct Account: Hashable {
        /// Its number.
        @Key public var number: Int
        /// The owner.
        @Renamed(from: "holder") @Indexed public var owner: String
        /// The currency; the amounts of entries are in hundredths of it.
        public var currency = "EUR"

        /// Creates an account.
        public init(number: Int, owner: String) { (self.number, self.owner) = (number, owner) }
    }

    /// A transfer from one account to another.
    @Model public struct Entry: Hashable {
        /// Its number.
        @Key public var number: Int
        /// The debited account.
        @OnDelete(.deny) public var from: Link<Account>
        /// The credited account.
        @OnDelete(.deny) public var to: Link<Account>
        /// The amount.
        public var cents: Int
    }

    /// Opens a ledger as the second version of the program did.
    public static func open(
        at path: String, key: StoreKey, ifNewer newer: ObjectDatabase.NewerSchema = .refuse
    ) throws(ObjectError) -> ObjectDatabase {
        try .open(at: path, key: key, models: Account.self, Entry.self, ifNewer: newer)
    }
}
