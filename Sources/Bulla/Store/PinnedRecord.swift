extension Store {
    /// The newest durable commit's record, and a snapshot that keeps its pages; with a log the
    /// newest checkpoint's, and a snapshot of all that the log says over it.
    func pinnedRecord() throws(BullaError) -> (CommitRecord, TreeAccess) {
        try Self.pinnedRecord(core)
    }

    /// - Parameter visibility: of what the log says.
    static func pinnedRecord(
        _ core: StoreCore, _ visibility: Visibility = .durable
    ) throws(BullaError) -> (CommitRecord, TreeAccess) {
        let entry = try core.enter()
        defer { core.gate.leave(entry) }
        while true {
            let access =
                core.board.hasLog
                ? try TreeAccess(underLogOf: core, visibility)
                : TreeAccess(core, try core.pin(.durable))
            let record = try core.board.record(.durable)
            if record.commit == access.pinned.commit { return (record, access) }
        }
    }
}
