internal import BullaMemory

/// What the log of a store says that nobody has open, read without a byte of it being written.
struct InspectedLog: ~Copyable {
    /// What the log's commits stand over: the tree of its last root frame, or that of the meta.
    let record: CommitRecord
    /// What it says up to where it holds.
    let view: LogView
    /// Why it is not whole.
    let defects: [String]

    /// - Parameter newest: what the newest meta says.
    /// - Returns: `nil` where nothing of it can be held.
    /// - Throws: `io`; `outOfMemory`; `corrupted` where the record names no place in the log.
    init?(_ parts: StoreParts, _ newest: CommitRecord) throws(BullaError) {
        let (log, start) = (try LogParts(parts, newest), LogPosition(newest))
        var defects: [String] = []
        let memtables = try LogMemtables(parts.header.format, log.log, at: start)
        try Self.noting(&defects) { () throws(BullaError) in
            var follower = try LogFollower(log.log, log.keys, at: start)
            _ = try follower.follow(to: .max, memtables)
        }
        let mark = try log.marks(keyEpoch: newest.keyEpoch).newest()
        // What holds is not all: recovery knows how far it has to reach.
        try Self.noting(&defects) { () throws(BullaError) in
            _ = try LogReplay(log.log, log.keys, from: start, mark: mark, DroppedCommits())
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
