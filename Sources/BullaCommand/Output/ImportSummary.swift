internal import BullaObjects

extension ObjectImport.Summary {
    /// The summary of a successful import, for people.
    var text: String {
        "\(Quantity.count(inserted, "object")) added, \(replaced) replaced, "
            + Quantity.count(commits, "commit")
    }

    /// What a failed import leaves in the store, for its message.
    var aftermath: String {
        guard commits > 0 else { return "nothing was stored" }
        return "stored before: \(Quantity.count(inserted + replaced, "object")) in "
            + Quantity.count(commits, "commit")
    }
}
