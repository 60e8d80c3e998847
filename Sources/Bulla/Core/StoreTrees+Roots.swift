/// Adopts trees that root frames name: the log's frames of transactions that changed pages
/// directly.
extension StoreTrees {
    /// Writes a meta record that names the tree of a root frame, if the frame's writer died before
    /// it could and no meta slot names the tree yet.
    ///
    /// The caller holds the writer lock, so nobody else appends a root frame.
    func adoptRoot(of log: StoreLog) throws(BullaError) {
        guard let root = log.memtables.root, try board.checkpoint().commit < root.commit else {
            return
        }
        // Taking the lock adopts it.
        _ = try lock()
        unlock()
    }

    /// Does the same as the only opener, once the log has been recovered.
    func adoptRecoveredRoot() throws(BullaError) {
        guard let log = log.current, let root = log.memtables.root else { return }
        board.seals.note(root)
        // An opener that cannot write reads that tree all the same.
        guard parts.isWritable else {
            // A slot may have been written for other reasons since the tree's pages were sealed.
            var root = root
            root.flush = max(root.flush, try board.checkpoint().flush &+ 1)
            return try board.post(root)
        }
        try adopt(root, log)
    }

    /// Does the same for a frame that may not have been announced.
    ///
    /// If another process has flushed the log past the frame, the frame is durable, and this
    /// process has followed past it.
    func adoptUnannouncedRoot() throws(BullaError) {
        let log = try log.demand()
        try log.shared.follow(to: log.shared.durableCommit())
        if let root = try log.shared.findRoot() ?? log.memtables.root { try adopt(root, log) }
    }

    private func adopt(_ root: CommitRecord, _ log: StoreLog) throws(BullaError) {
        guard try board.checkpoint().commit < root.commit else { return }
        try log.shared.adoptRoot(root.commit) { () throws(BullaError) in
            try metaWriter.postUnderLock(root)
        }
    }
}
