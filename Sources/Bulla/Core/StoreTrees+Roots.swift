/// Trees that root frames name.
extension StoreTrees {
    /// Names the tree of a root frame whose writer has ended before it could, unless a meta does.
    ///
    /// Under the writer's lock: nobody else appends one.
    func adoptRoot(of log: StoreLog) throws(BullaError) {
        guard let root = log.memtables.root, try board.checkpoint().commit < root.commit else {
            return
        }
        // Taking the lock adopts it.
        _ = try lock()
        unlock()
    }

    /// The same for the only opener, once the log was recovered.
    func adoptRecoveredRoot() throws(BullaError) {
        guard let log = log.current, let root = log.memtables.root else { return }
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
    func adoptUnannouncedRoot() throws(BullaError) {
        let log = try log.demand()
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
