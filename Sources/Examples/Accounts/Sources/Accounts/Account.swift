public import BullaObjects

/// What somebody has.
@Model public struct Account: Hashable {
    /// Its number.
    @Key public var number: Int
    /// Whose it is: the first names.
    public var firstNames: String
    /// Whose it is: the last name.
    @Indexed public var lastName: String
    /// What its cents are hundredths of.
    public var currency = "EUR"
    /// The entries that came to it.
    @Backlinks(\Entry.to) public var credits: Backlinks<Entry>
    /// The entries that went from it.
    @Backlinks(\Entry.from) public var debits: Backlinks<Entry>

    /// An account.
    public init(number: Int, firstNames: String, lastName: String) {
        (self.number, self.firstNames, self.lastName) = (number, firstNames, lastName)
    }
}

/// What went from one account to another; neither can go while it is there.
@Model public struct Entry: Hashable {
    /// Entries are counted from 1.
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
