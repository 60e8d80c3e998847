/// Adopts trees that only a root frame names.
///
/// A root frame is the frame of a commit that changed the trees directly.
extension StoreTrees {
    /// Makes a meta slot name the trees of a root frame, if the frame's writer died before it
    /// could.
    ///
    /// The caller holds the writer lock, so no other writer appends a root frame.
    func adoptRoot(of log: StoreLog) throws(BullaError) {
        guard let root = log.memtables.root, try board.checkpoint().commit < root.commit else {
            return
        }
        // Taking the lock on the trees adopts the root.
        _ = try lock()
        unlock()
    }

    /// Does what ``adoptRoot(of:)`` does, for the only opener, once the log has been recovered.
    func adoptRecoveredRoot() throws(BullaError) {
        guard let log = log.current, let root = log.memtables.root else { return }
        board.seals.note(root)
        // An opener that cannot write to the file still has to read the new trees. So it posts
        // their record in shared memory, but writes no slot.
        guard parts.isWritable else {
            // The root may need a higher flush number, because a slot may have been written for
            // other reasons since the trees' pages were sealed.
            var root = root
            root.flush = max(root.flush, try board.checkpoint().flush &+ 1)
            return try board.post(root)
        }
        try adopt(root, log)
    }

    /// Does what ``adoptRoot(of:)`` does, for a frame that may not have been announced.
    ///
    /// The search covers only frames after the durable part of the log, so it misses a frame that
    /// another process has flushed. Therefore this process follows the log to the end of the
    /// durable part twice: before the search, which also tells it where the log lies, and again
    /// after the search, so that its memtables know the root of a frame that was flushed in
    /// between.
    func adoptUnannouncedRoot() throws(BullaError) {
        let log = try log.demand()
        try log.shared.follow(to: log.shared.durableCommit())
        let found = try log.shared.findRoot()
        try log.shared.follow(to: log.shared.durableCommit())
        if let root = found ?? log.memtables.root { try adopt(root, log) }
    }

    private func adopt(_ root: CommitRecord, _ log: StoreLog) throws(BullaError) {
        guard try board.checkpoint().commit < root.commit else { return }
        try log.shared.adoptRoot(root.commit) { () throws(BullaError) in
            try metaWriter.postUnderLock(root)
        }
    }
}
