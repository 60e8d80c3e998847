/// Which snapshots may still need a freed page, and what is durable.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest commit that no recovery can fall back from: one before the newest flushed, as a
    /// rule.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Makes every published commit one that no recovery falls back from.
    func confirmPublished() throws(BullaError)
    /// The commits that living snapshots see, of all processes, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Counts pages about to be sealed against what the last flushed meta page allows.
    func reserveSeals(_ count: UInt64) throws(BullaError)
    /// Refuses to go on in a file that was deleted or replaced; before any page of it is written.
    func checkPlace() throws(BullaError)
    /// Refuses to go on in a child of a fork, whose parent has the file and the threads.
    func checkProcess() throws(BullaError)
}
