/// Tells which snapshots can still need a freed page, and what is durable.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest checkpoint that both meta slots have reached.
    ///
    /// Neither slot needs a page that was freed up to it, even if the newer slot is lost.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Makes both meta slots name the newest checkpoint.
    func confirmCheckpoint() throws(BullaError)
    /// The checkpoints that living snapshots of all processes read, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Counts pages that are about to be sealed against the number that the last flushed meta page
    /// allows.
    func reserveSeals(_ count: UInt64) throws(BullaError)
    /// Throws if the file was deleted or replaced.
    ///
    /// Call this before writing any page.
    func checkPlace() throws(BullaError)
    /// Throws in a forked child, because the parent has the file and the threads.
    func checkProcess() throws(BullaError)
}
