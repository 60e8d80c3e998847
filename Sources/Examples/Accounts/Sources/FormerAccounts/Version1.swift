public import Bulla
public import BullaObjects

/// The ledger as it began.
public enum Version1 {
    /// What somebody has.
    @Model public struct Account: Hashable {
        /// Its number.
        @Key public var number: Int
        /// Whose it is.
        public var holder: String

        /// An account.
        public init(number: Int, holder: String) { (self.number, self.holder) = (number, holder) }
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

        /// An entry.
        public init(number: Int, from: Account, to: Account, cents: Int) {
            (self.number, self.cents) = (number, cents)
            (self.from, self.to) = (Link(from), Link(to))
        }
    }

    /// Opens a ledger as the first version of the program does.
    public static func open(
        at path: String, key: StoreKey, ifNewer newer: ObjectDatabase.NewerSchema = .refuse
    ) throws(ObjectError) -> ObjectDatabase {
        try .open(at: path, key: key, models: Account.self, Entry.self, ifNewer: newer)
    }
}
