/// The trees, which checkpoints change and root frames name.
extension StoreCore {
    /// Takes the lock on the trees, and finds what the next change of them builds on.
    ///
    /// What a holder that has died left half-way is finished first: its pages are free in the
    /// record before it.
    ///
    /// - Throws: `busy`; what finishing throws: then the lock is given up.
    func lockTrees() throws(BullaError) -> CommitRecord {
        try treeLock.acquire(timeout: options.lockTimeout) { () throws(BullaError) in
            try checkAlive()
        }
        do throws(BullaError) {
            try flusher.checkPoison()
            try flusher.takeUpNewer()
            try adoptUnannouncedRoot(of: demandLog())
            return try writeBase()
        } catch {
            treeLock.release()
            throw error
        }
    }

    /// Names the tree of a root frame whose writer has ended before it could, unless a meta does.
    ///
    /// Under the writer's lock: nobody else appends one.
    func adoptRoot(of log: StoreLog) throws(BullaError) {
        guard let root = log.memtables.root, try board.checkpoint().commit < root.commit else {
            return
        }
        _ = try lockTrees()
        treeLock.release()
    }

    /// The same for the only opener, once the log was recovered.
    func adoptRecoveredRoot() throws(BullaError) {
        guard let log, let root = log.memtables.root else { return }
        board.seals.note(root)
        // An opener that may not write reads that tree all the same.
        guard parts.isWritable else {
            // Since its pages were sealed a slot may have been written for other reasons.
            var root = root
            root.flush = max(root.flush, try board.checkpoint().flush &+ 1)
            return try board.post(root)
        }
        try adopt(root, log)
    }

    /// The same of a frame that others may not have been told of.
    ///
    /// Where one of them has flushed the log past the frame, it lies before what is durable: then
    /// this process has followed past it.
    private func adoptUnannouncedRoot(of log: StoreLog) throws(BullaError) {
        try log.shared.follow(to: log.shared.durableCommit())
        if let root = try log.shared.findRoot() ?? log.memtables.root { try adopt(root, log) }
    }

    private func adopt(_ root: CommitRecord, _ log: StoreLog) throws(BullaError) {
        guard try board.checkpoint().commit < root.commit else { return }
        try log.shared.adoptRoot(root.commit) { () throws(BullaError) in
            try flusher.postUnderLock(root)
        }
    }
}
