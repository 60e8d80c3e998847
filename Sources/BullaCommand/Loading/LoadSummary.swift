/// What a load has done so far.
struct LoadSummary: Encodable, Sendable {
    /// Records that are in the store for good.
    var records: UInt64 = 0
    /// Their keys and values together.
    var bytes: UInt64 = 0
    /// Transactions that made them so.
    var commits: UInt64 = 0
    /// Records that were read after the last commit, and are not in the store.
    var uncommitted: UInt64 = 0
    /// How long it took, set at the end.
    var seconds: Double?

    /// What a failure leaves, for its message.
    var aftermath: String {
        guard commits > 0 || uncommitted > 0 else { return "nothing was stored" }
        let stored = "\(Quantity.count(records, "record")) in \(Quantity.count(commits, "commit"))"
        return "stored before: \(stored); read after that and not stored: \(uncommitted)"
    }

    /// What a success is, for people.
    var text: String {
        let time = seconds.map { ", \(Quantity.decimal($0)) s" } ?? ""
        return "\(Quantity.count(records, "record")), \(Quantity.bytes(bytes)), "
            + Quantity.count(commits, "commit") + time
    }
}
