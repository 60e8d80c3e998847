/// Which snapshots may still need a freed page, and what is durable.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest checkpoint that both meta slots are past: pages that were freed up to it are
    /// needed by no slot, be the newer one lost.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Names the newest checkpoint in both slots.
    func confirmCheckpoint() throws(BullaError)
    /// The checkpoints that the trees of living snapshots are of, of all processes, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Counts pages about to be sealed against what the last flushed meta page allows.
    func reserveSeals(_ count: UInt64) throws(BullaError)
    /// Refuses to go on in a file that was deleted or replaced; before any page of it is written.
    func checkPlace() throws(BullaError)
    /// Refuses to go on in a child of a fork, whose parent has the file and the threads.
    func checkProcess() throws(BullaError)
}
