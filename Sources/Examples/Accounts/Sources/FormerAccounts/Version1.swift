public import Bulla
public import BullaObjects

/// The first version of the ledger.
public enum Version1 {
    /// An account in the ledger.
    @Model public struct Account: Hashable {
        /// Its number.
        @Key public var number: Int
        /// The owner.
        public var holder: String

        /// Creates an account.
        public init(number: Int, holder: String) { (self.number, self.holder) = (number, holder) }
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

        /// Creates an entry.
        public init(number: Int, from: Account, to: Account, cents: Int) {
            (self.number, self.cents) = (number, cents)
            (self.from, self.to) = (Link(from), Link(to))
        }
    }

    /// Opens a ledger as the first version of the program did.
    public static func open(
        at path: String, key: StoreKey, ifNewer newer: ObjectDatabase.NewerSchema = .refuse
    ) throws(ObjectError) -> ObjectDatabase {
        try .open(at: path, key: key, models: Account.self, Entry.self, ifNewer: newer)
    }
}
