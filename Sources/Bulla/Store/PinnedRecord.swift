/// The newest checkpoint's record, and a snapshot of that checkpoint with the log's changes on top.
struct PinnedRecord {
    let record: CommitRecord
    let snapshot: TreeAccess

    /// - Parameter visibility: which commits of the log the snapshot sees.
    init(_ core: StoreCore, _ visibility: SnapshotVisibility = .durable) throws(BullaError) {
        let entry = try core.entrance.enter()
        defer { core.entrance.leave(entry) }
        while true {
            let snapshot = try TreeAccess(underLogOf: core, visibility)
            let record = try core.board.checkpoint()
            guard record.commit == snapshot.claim.pinned.commit else { continue }
            (self.record, self.snapshot) = (record, snapshot)
            return
        }
    }
}
