internal import BullaObjects

extension ObjectImport.Summary {
    /// The summary of a successful import, for people.
    var text: String {
        "\(Quantity.count(insertedCount, "object")) added, \(replacedCount) replaced, "
            + Quantity.count(commitCount, "commit")
    }

    /// What a failed import leaves in the store, for the error's message.
    var aftermath: String {
        guard commitCount > 0 else { return "nothing was stored" }
        return "stored before: \(Quantity.count(insertedCount + replacedCount, "object")) in "
            + Quantity.count(commitCount, "commit")
    }
}
