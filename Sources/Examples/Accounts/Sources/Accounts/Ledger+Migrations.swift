internal import BullaObjects

extension Ledger {
    /// All migrations that the program has ever had, in order.
    ///
    /// None is ever removed, so that the program can open a store of any age.
    static let migrations = [names]

    /// Version 3 splits the owner's name into two properties.
    private static let names = Migration("an owner has two names", of: Account.self) {
        account, _ in
        // Version 1 called the property `holder`, and version 2 called it `owner`.
        let property = account.has("owner") ? "owner" : "holder"
        var names = try account.value(property, as: String.self).split(separator: " ")
        try account.set("lastName", to: String(names.popLast() ?? ""))
        try account.set("firstNames", to: names.joined(separator: " "))
    }
}
