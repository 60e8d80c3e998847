internal import BullaObjects

extension Ledger {
    /// All migrations that there have ever been, in order, so that a store of any age can be
    /// opened.
    static let migrations = [names]

    /// In version 3, a name becomes two properties.
    private static let names = Migration("an owner has two names", of: Account.self) {
        account, _ in
        // The name that version 2 calls `owner` was called `holder` in version 1.
        let property = account.has("owner") ? "owner" : "holder"
        var names = try account.value(property, as: String.self).split(separator: " ")
        try account.set("lastName", to: String(names.popLast() ?? ""))
        try account.set("firstNames", to: names.joined(separator: " "))
    }
}
