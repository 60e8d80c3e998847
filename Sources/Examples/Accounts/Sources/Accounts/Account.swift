public import BullaObjects

/// An account in the ledger.
@Model public struct Account: Hashable {
    /// The number of the account.
    @Key public var number: Int
    /// The owner's first names.
    public var firstNames: String
    /// The owner's last name.
    @Indexed public var lastName: String
    /// The currency; the amounts of entries are in hundredths of it.
    public var currency = "EUR"
    /// The entries that credit this account.
    @Backlinks(\Entry.to) public var credits: Backlinks<Entry>
    /// The entries that debit this account.
    @Backlinks(\Entry.from) public var debits: Backlinks<Entry>

    /// Creates an account.
    public init(number: Int, firstNames: String, lastName: String) {
        (self.number, self.firstNames, self.lastName) = (number, firstNames, lastName)
    }
}

/// A transfer from one account to another; neither account can be deleted while the entry exists.
@Model public struct Entry: Hashable {
    /// The number, counted from 1.
    @Key public var number: Int
    /// The debited account.
    @OnDelete(.deny) public var from: Link<Account>
    /// The credited account.
    @OnDelete(.deny) public var to: Link<Account>
    /// The amount, in hundredths of the currency.
    public var cents: Int

    /// Creates an entry.
    public init(number: Int, from: Account, to: Account, cents: Int) {
        (self.number, self.cents) = (number, cents)
        (self.from, self.to) = (Link(from), Link(to))
    }
}
