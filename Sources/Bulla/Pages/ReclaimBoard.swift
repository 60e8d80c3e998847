/// Tells which snapshots can still need a freed page, and what is durable.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest checkpoint that both meta slots have reached.
    ///
    /// Neither slot needs a page that this commit or an earlier one freed, even if the newer slot
    /// is lost.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Makes both meta slots name the newest checkpoint.
    func confirmCheckpoint() throws(BullaError)
    /// The checkpoints that living snapshots of all processes read, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Counts pages that are about to be sealed, and has a meta slot allow more if they exceed the
    /// number that the last flushed slot allows.
    func reserveSeals(_ count: UInt64) throws(BullaError)
    /// Throws if the file was deleted or replaced.
    ///
    /// Call this before writing any page.
    func checkPlace() throws(BullaError)
    /// Throws in a forked child, because the file and the threads belong to the parent.
    func checkProcess() throws(BullaError)
}
