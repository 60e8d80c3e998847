internal import BullaCipher
internal import BullaMemory

/// Writes checkpoint records to the meta slots durably, and flushes the pages that they name.
///
/// It writes only under the flush lock, and never into the slot that this world flushed last. If it
/// finds a slot in the page cache that may not be on the disk, it writes and flushes that slot
/// again before it writes into the other one.
package final class MetaWriter: PageFlusher {
    let store: StoreParts
    let board: CheckpointBoard
    private let writerLock: WriterLock
    let metas: MetaSlots
    /// One open file for the holder of the flush lock, and one for the holder of the lock on the
    /// trees: the kernel reports a failed write-back only once on each open file, so with one file,
    /// only one of the two holders would hear of it.
    private let leading: any FlushHandle
    private let writing: any FlushHandle
    let lock: FlushLock

    init(
        _ store: StoreParts, _ board: CheckpointBoard, _ writerLock: WriterLock, timeout: Duration
    ) throws(BullaError) {
        self.store = store
        self.board = board
        self.writerLock = writerLock
        lock = FlushLock(
            store.file, path: store.path, board.words, board.poison, timeout: timeout)
        metas = MetaSlots(store)
        leading = try store.file.openFlushHandle()
        writing = try store.file.openFlushHandle()
    }

    private func underLock(
        _ attempt: String, for commit: UInt64? = nil, _ body: () throws(BullaError) -> Void
    ) throws(BullaError) {
        // The holder of the flush lock may be waiting for this writer to commit, so end that wait.
        try lock.hold(
            to: attempt, for: commit, whenTaken: { writerLock.endCompany() }, body)
    }

    // MARK: Naming

    /// Names a checkpoint durably in a meta slot, and posts it.
    ///
    /// The caller holds the lock on the trees, and the checkpoint's pages are on the disk.
    ///
    /// - Parameter commit: the commit for which the checkpoint is made, if that commit has already
    ///   been made.
    /// - Throws: `busy`, or `notYetDurable` if `commit` is given, when somebody else held the flush
    ///   lock for the whole timeout; `poisoned`; `io`.
    func post(_ checkpoint: CommitRecord, for commit: UInt64? = nil) throws(BullaError) {
        try underLock("make a checkpoint of", for: commit) { () throws(BullaError) in
            try postUnderLock(checkpoint)
        }
    }

    /// Does what ``post(_:for:)`` does, for a caller that holds the flush lock already.
    package func postUnderLock(_ checkpoint: CommitRecord) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a meta slot is written under the flush lock")
        let former = try board.checkpoint()
        try name(checkpoint, SealBudget())
        // A half that was moved may be used only after both slots say where it lies now.
        if former.log.halves != checkpoint.log.halves { try name(checkpoint, SealBudget()) }
    }

    /// Names the newest checkpoint again, with a new budget of pages that may be sealed.
    ///
    /// - Throws: as ``post(_:for:)``.
    func renew(_ budget: SealBudget) throws(BullaError) {
        try underLock("flush") { () throws(BullaError) in
            // A process that died while it closed the store may have left its confirming slot only
            // in the page cache. The other callers flush the file before they call `name`; this one
            // does so here.
            try flushAsLeader()
            try name(takeUpNewest(), budget)
        }
    }

    /// Names the newest checkpoint in the slot that does not name it yet, if there is such a slot.
    ///
    /// The caller holds the lock on the trees.
    ///
    /// - Throws: as ``post(_:for:)``.
    func confirmCheckpoint() throws(BullaError) {
        try underLock("confirm a checkpoint of") { () throws(BullaError) in
            try confirm(isLast: false)
        }
    }

    /// Writes a record into the older slot, and flushes.
    ///
    /// The caller holds the flush lock.
    ///
    ///     step      state if a crash follows
    ///     write     the former record, or this one if the disk got all of it
    ///     flush     this one
    ///     post      the same, and everybody knows
    private func name(_ checkpoint: CommitRecord, _ budget: SealBudget) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a record gets a slot under the flush lock")
        let former = try takeUpNewest()
        var record = checkpoint
        guard record.commit >= former.commit else { throw isBehind(former.commit) }
        budget.apply(to: &record, former: former, sealed: board.seals.total(former))
        record.lastDurable = former.commit
        record.metaSlot = 1 - former.metaSlot
        record.flush = former.flush + 1
        record.checkSuccession(to: former)
        try write(record, isFlushed: !PlantedBug.isPlanted(.flushSkipped))
        if budget.epoch != nil { board.seals.reset() }
        board.words.add(1, WorldLayout.flushes)
    }

    private func write(_ record: CommitRecord, isFlushed: Bool = true) throws(BullaError) {
        // After a failed write, nobody knows what the slot says.
        try board.poison.spreading { () throws(BullaError) in try metas.write(record) }
        if isFlushed { try flushAsLeader() }
        // Another flush may have failed meanwhile, and what it covered is in doubt for everybody.
        try checkPoison()
        try board.post(record)
    }

    /// The newest checkpoint's record; the caller holds the flush lock, or has the store to itself.
    ///
    /// This function looks at the meta slots too. If a slot is newer than the board, its writer
    /// died before it posted the record, or a stranger set the board back. The slot may have been
    /// flushed, so no other record may overwrite it; or it may not have been flushed, so it must
    /// not be trusted. Therefore this function writes the same record again, as recovery does. The
    /// pages that the slot names were flushed before the slot was first written.
    private func takeUpNewest(isAlone: Bool = false) throws(BullaError) -> CommitRecord {
        invariant(isAlone || lock.isHeldByCaller, "a slot is taken up under the flush lock")
        try board.raise()
        let known = try board.checkpoint()
        guard let newest = try metas.newest(after: known),
            !PlantedBug.isPlanted(.newerSlotIgnored)
        else { return known }
        try write(newest)
        return newest
    }

    /// Takes up the checkpoint record of a meta slot that is newer than the board's.
    ///
    /// The slot's writer is still flushing it, or died before it posted the record, or a stranger
    /// set the board back.
    ///
    /// A joiner calls this before it opens the log, and every holder of the lock on the trees calls
    /// it before it reads the board's record.
    ///
    /// - Parameter attempt: what the caller is about to do, for messages.
    /// - Throws: `busy` when the holder of the flush lock, which may be stopped, held it for the
    ///   whole timeout.
    func takeUpNewer(to attempt: String) throws(BullaError) {
        guard try hasNewer() else { return }
        // Usually the slot's writer is alive and still flushing the slot. Then this call only waits
        // for that flush.
        try underLock(attempt) { () throws(BullaError) in _ = try takeUpNewest() }
    }

    /// Names the newest checkpoint in the slot that does not name it yet, if there is such a slot.
    ///
    /// The caller holds the flush lock, or has the store to itself.
    ///
    /// - Parameter isLast: whether no page will be sealed any more; then the unused part of the
    ///   seal reservation is given back.
    func confirm(isLast: Bool) throws(BullaError) {
        invariant(isLast || lock.isHeldByCaller, "a slot confirms under the flush lock")
        try checkPoison()
        let former = try takeUpNewest(isAlone: isLast)
        var record = former
        let sealed = board.seals.total(record)
        let isGivingBack = isLast && record.reservedCount != sealed
        guard record.lastDurable != record.commit || isGivingBack else { return }
        record = record.confirmation
        SealBudget().apply(to: &record, former: record, sealed: sealed)
        if isLast { record.reservedCount = record.sealedCount }
        record.checkSuccession(to: former)
        try write(record)
    }
}

/// Flushing.
extension MetaWriter {
    /// Flushes pages that no meta slot names yet.
    ///
    /// The caller holds the lock on the trees.
    func flushPages() throws(BullaError) {
        if PlantedBug.isPlanted(.pagesNotFlushed) { return }
        try flush(writing)
    }

    /// Flushes what was written under the flush lock, or by an opener that is alone.
    func flushAsLeader() throws(BullaError) { try flush(leading) }

    private func flush(_ handle: any FlushHandle) throws(BullaError) {
        try board.poison.spreading { () throws(BullaError) in try handle.flush() }
    }
}
