internal import BullaMemory

/// An open store's log: the part that processes share, and the memtables with what this process has
/// read.
package final class StoreLog: Sendable {
    package let shared: SharedLog
    package let memtables: LogMemtables

    init(_ shared: SharedLog, _ memtables: LogMemtables) {
        (self.shared, self.memtables) = (shared, memtables)
    }

    /// The number of the durable record as the board gives it: quick to read, but unverified.
    ///
    /// A caller that used ``shared`` instead would have to retain and release that object.
    @inline(__always)
    func durableSequence() throws(BullaError) -> UInt64 { try shared.durableSequence() }

    /// How many bytes of frames a transaction can have before it changes pages instead: half the
    /// length of the log's longer half.
    var directByteCount: UInt64 { shared.longerHalfByteCount / 2 }

    /// The changes in the log that a snapshot sees if it begins now, over trees that were pinned
    /// before.
    ///
    /// If the process has already read enough of the log, the reader does not wait, even while
    /// another thread reads the log's file or writes to it.
    ///
    /// - Parameter durable: a commit that the caller has found to be durable since it pinned the
    ///   trees; the durable record may not say so yet.
    /// - Returns: `nil` if another thread has just begun to follow the log from a newer checkpoint.
    /// - Throws: what following throws; `outOfMemory`; `readersFull`.
    func view(_ visibility: SnapshotVisibility, atLeast durable: UInt64) throws(BullaError)
        -> LogView?
    {
        switch visibility {
        case .durable:
            if let view = try memtables.holdDurable(durable) { return view }
            try shared.follow(to: durable)
            return try memtables.holdDurable(durable)
        case .published:
            if memtables.newestCommit < max(durable, shared.announcedCommit) {
                // Commits that the trees have are durable even before the durable record says so.
                try shared.follow(to: durable)
                try shared.follow()
            }
            return try memtables.holdNewest(atLeast: durable)
        }
    }

    /// Empties the memtables, if the newest checkpoint's trees have all of the memtables' changes.
    ///
    /// Does nothing if there is no memory for an empty memtable.
    func forgetTaken() { try? shared.beginAnew() }

    /// The newest commit of any process.
    func newestCommit() throws(BullaError) -> UInt64 { try shared.follow() }

    /// Waits until a commit is durable, then drops versions of the memtables that nothing needs any
    /// more.
    ///
    /// - Throws: as ``SharedLog/awaitDurable(_:since:)``.
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        try shared.awaitDurable(commit, since: start)
        memtables.settle(commit)
    }

    /// Wipes the plaintext of the log, and the keys of its board, from memory.
    ///
    /// The keys of the log's frames are wiped later, when the last thread that follows the log or
    /// writes to it releases the log.
    func end() {
        shared.end()
        memtables.wipe()
    }
}

/// Tells the log which checkpoint is the newest, and which halves are free.
final class StoreLogStart: LogStart {
    private let board: CheckpointBoard
    private let metas: MetaSlots
    private let treeLock: WriterLock
    private let timeout: Duration

    init(
        _ board: CheckpointBoard, _ metas: MetaSlots, _ treeLock: WriterLock, timeout: Duration
    ) {
        self.board = board
        self.metas = metas
        self.treeLock = treeLock
        self.timeout = timeout
    }

    func record() throws(BullaError) -> LogPosition { LogPosition(try board.checkpoint()) }

    func refresh(_ log: LogFile) throws(BullaError) {
        guard try !log.knows(board.claimed()) else { return }
        let record = try board.checkpoint()
        try log.use(record.log, of: record.flush)
    }

    func keyEpoch() throws(BullaError) -> UInt64 { try board.checkpoint().keyEpoch }

    func oldestSequence() throws(BullaError) -> UInt64? {
        let record = try board.checkpoint()
        let known = record.log.place.sequence
        // If `lastDurable` is the checkpoint's own commit, the checkpoint is confirmed: both slots
        // name the same place in the log.
        guard record.lastDurable != record.commit, !PlantedBug.isPlanted(.halfFreedEarly) else {
            return known
        }
        let slots = try metas.readAll()
        // If a slot is newer than the record, a writer is writing the slot, or died before it
        // posted the slot's record. Then the slot may still be unflushed.
        guard slots.count == MetaPage.slotCount, slots.allSatisfy({ $0.flush <= record.flush })
        else { return nil }
        // If a slot places a half elsewhere than the record does, a crash can still bring that
        // place back into use.
        guard slots.allSatisfy({ $0.log.halves == record.log.halves }) else { return nil }
        return slots.map(\.log.place.sequence).reduce(known, min)
    }

    func lock() throws(BullaError) -> Bool {
        guard !treeLock.isHeldByCaller else { return false }
        try treeLock.acquire(timeout: timeout) { () throws(BullaError) in }
        return true
    }

    func unlock() { treeLock.release() }
}
