internal import BullaMemory

/// The log of a store that no process has open, read without writing a byte.
struct InspectedLog: ~Copyable {
    /// The trees to which the log adds changes: those that the log's last root frame names, or else
    /// those that the meta record names.
    let record: CommitRecord
    /// What the log says, up to the first frame that does not verify.
    let view: LogView
    /// Why the log is not whole; empty if it is.
    let defects: [String]

    /// - Parameter newest: the record of the newest meta slot.
    /// - Returns: `nil` if the log's memtables cannot be held for reading.
    /// - Throws: `io`; `outOfMemory`. If the log is damaged, or the record names a place that the
    ///   log does not have, this is noted as a defect, not thrown.
    init?(_ parts: StoreParts, _ newest: CommitRecord) throws(BullaError) {
        let (log, start) = (try LogParts(parts, newest), LogPosition(newest))
        var defects: [String] = []
        let memtables = try LogMemtables(parts.header.format, log.log, at: start)
        try Self.noting(&defects) { () throws(BullaError) in
            var follower = try LogFollower(log.log, log.keys, at: start)
            _ = try follower.follow(to: .max, memtables)
        }
        let mark = try log.marks(keyEpoch: newest.keyEpoch).newest()
        // The log can end too early although every frame in it verifies. Recovery knows how far the
        // log must reach.
        try Self.noting(&defects) { () throws(BullaError) in
            _ = try LogRecovery(log.log, log.keys, from: start, mark: mark, DroppedCommits())
        }
        guard let view = try memtables.hold() else { return nil }
        record = memtables.root ?? newest
        self.view = view
        self.defects = defects
    }

    private static func noting(
        _ defects: inout [String], _ body: () throws(BullaError) -> Void
    ) throws(BullaError) {
        do throws(BullaError) { try body() } catch {
            guard error.code == .corrupted else { throw error }
            if !defects.contains(error.message) { defects.append(error.message) }
        }
    }
}
