internal import BullaMemory

/// Makes commits visible to other processes.
extension LogBoard {
    /// The newest commit that a writer has announced: a hint.
    var announced: UInt64 { words.loadAcquire(WorldLayout.logAnnounced) }

    /// Tells others to look for a commit.
    ///
    /// The caller holds the writer lock, and the commit is whole.
    func announce(_ commit: UInt64) { words.storeRelease(commit, WorldLayout.logAnnounced) }
}
