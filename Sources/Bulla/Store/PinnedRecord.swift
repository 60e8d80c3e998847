extension Store {
    /// The newest durable commit's record, and a snapshot that keeps its pages; with a log the
    /// newest checkpoint's.
    func pinnedRecord() throws(BullaError) -> (CommitRecord, TreeAccess) {
        try Self.pinnedRecord(core)
    }

    static func pinnedRecord(
        _ core: StoreCore
    ) throws(BullaError) -> (CommitRecord, TreeAccess) {
        let entry = try core.enter()
        defer { core.gate.leave(entry) }
        while true {
            let access = TreeAccess(core, try core.pin(.durable))
            let record = try core.board.record(.durable)
            if record.commit == access.commit { return (record, access) }
        }
    }
}
