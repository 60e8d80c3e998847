internal import BullaMemory

/// A store's part in its log, and what it has read there.
final class StoreLog: Sendable {
    let shared: SharedLog
    let memtables: LogMemtables

    init(_ shared: SharedLog, _ memtables: LogMemtables) {
        (self.shared, self.memtables) = (shared, memtables)
    }

    /// What a snapshot sees that begins now, over trees that were pinned before.
    ///
    /// Where the process has come far enough, the reader waits for nobody: a follower may be
    /// reading the file meanwhile, and a writer writing to it.
    ///
    /// - Returns: `nil` where another thread has just begun to follow from a newer checkpoint.
    /// - Throws: what following throws; `outOfMemory`; `readersFull`.
    func view(_ visibility: Visibility) throws(BullaError) -> LogView? {
        let durable = try shared.durableCommit()
        switch visibility {
        case .durable:
            if let view = try memtables.holdDurable(durable) { return view }
            try shared.follow(to: durable)
            return try memtables.holdDurable(durable)
        case .published:
            if memtables.newestCommit < max(durable, shared.announcedCommit) {
                try shared.follow()
            }
            return try memtables.holdNewest(atLeast: durable)
        }
    }

    /// Leaves no plaintext of the log in memory, and no key of its board.
    ///
    /// The keys of its frames go when the last thread that follows or writes lets go of it.
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
        try position(board.record(.durable))
    }

    private func position(_ record: CommitRecord) throws(BullaError) -> LogPosition {
        if let position = LogPosition(record) { return position }
        throw BullaError(
            .corrupted, "follow the log: the record of checkpoint \(record.commit) names none")
    }

    func oldestSequence() throws(BullaError) -> UInt64 {
        let record = try board.record(.durable)
        let known = try position(record).place.sequence
        // Where one confirms the other, both slots name the same place.
        guard record.lastDurable != record.commit else { return known }
        return try metas.readAll().compactMap { $0.log?.place.sequence }.reduce(known, min)
    }

    func lock() throws(BullaError) {
        try treeLock.acquire(timeout: timeout) { () throws(BullaError) in }
    }

    func unlock() { treeLock.release() }
}
