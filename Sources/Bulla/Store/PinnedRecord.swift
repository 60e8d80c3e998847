extension Store {
    /// The newest checkpoint's record, and a snapshot of all that the log says over it.
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
            let access = try TreeAccess(underLogOf: core, visibility)
            let record = try core.board.checkpoint()
            if record.commit == access.pinned.commit { return (record, access) }
        }
    }
}
