/// Tells what a change of the trees must know before it reuses or seals pages: the confirmed
/// checkpoint, the living snapshots, and the limit on seals.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest checkpoint that is confirmed: both meta slots name it or a newer one.
    ///
    /// So even if the newer slot is lost, the older one needs no page that this commit or an
    /// earlier commit freed.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Makes both meta slots name the newest checkpoint.
    func confirmCheckpoint() throws(BullaError)
    /// The checkpoints that living snapshots of all processes read, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Adds pages to the count of sealed pages, before they are sealed.
    ///
    /// If the count then exceeds the number that the last flushed meta slot allows, this writes and
    /// flushes a slot that allows more, before it returns.
    func reserveSeals(_ count: UInt64) throws(BullaError)
    /// Throws if the file was deleted or replaced.
    ///
    /// Call this before writing any page.
    func checkPlace() throws(BullaError)
    /// Throws in a forked child, because the file and the threads belong to the parent.
    func checkProcess() throws(BullaError)
}
