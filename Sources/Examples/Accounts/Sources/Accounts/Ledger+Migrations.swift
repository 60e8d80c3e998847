internal import BullaObjects

extension Ledger {
    /// All that there ever were, in their order: a store of any age is opened with them.
    static let migrations = [names]

    /// Since version 3, a name is two properties.
    private static let names = Migration("an owner has two names", of: Account.self) {
        account, _ in
        // What version 2 calls `owner`, version 1 called `holder`.
        let property = account.has("owner") ? "owner" : "holder"
        var names = try account.value(property, as: String.self).split(separator: " ")
        try account.set("lastName", to: String(names.popLast() ?? ""))
        try account.set("firstNames", to: names.joined(separator: " "))
    }
}
