internal import BullaMemory

/// A store's part in its log, and what it has read there.
final class StoreLog: Sendable {
    let shared: SharedLog
    let memtables: LogMemtables

    init(_ shared: SharedLog, _ memtables: LogMemtables) {
        (self.shared, self.memtables) = (shared, memtables)
    }

    /// Leaves no plaintext and no key of the log in memory.
    func end() {
        shared.end()
        memtables.wipe()
    }
}

/// What checkpoints of a store have come to.
final class StoreLogStart: LogStart {
    private let board: CommitBoard
    private let metas: MetaSlots
    private let treeLock: WriterLock
    private let timeout: Duration

    init(
        _ board: CommitBoard, _ metas: MetaSlots, _ treeLock: WriterLock, timeout: Duration
    ) {
        self.board = board
        self.metas = metas
        self.treeLock = treeLock
        self.timeout = timeout
    }

    func record() throws(BullaError) -> LogPosition {
        let record = try board.record(.durable)
        guard let position = LogPosition(record) else {
            throw BullaError(
                .corrupted, "follow the log: the record of checkpoint \(record.commit) names none")
        }
        return position
    }

    func oldestSequence() throws(BullaError) -> UInt64 {
        let record = try board.record(.durable)
        let known = try self.record().place.sequence
        // Where one confirms the other, both slots name the same place.
        guard record.lastDurable != record.commit else { return known }
        return try metas.readAll().compactMap { $0.log?.place.sequence }.reduce(known, min)
    }

    func lock() throws(BullaError) {
        try treeLock.acquire(timeout: timeout) { () throws(BullaError) in }
    }

    func unlock() { treeLock.release() }
}
