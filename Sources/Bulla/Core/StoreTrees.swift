internal import BullaMemory

/// The trees of a store; only one checkpoint or direct commit at a time changes them.
package final class StoreTrees: Sendable {
    /// Held while the trees are changed.
    let treeLock: WriterLock
    let growth: FileGrowth
    let memories: WriterMemories
    let metaWriter: MetaWriter
    let log: OpenLog
    let board: CheckpointBoard
    let parts: StoreParts
    private let options: StoreOptions
    private let entrance: Entrance
    private let pager: Pager
    private let reclaimBoard: StoreReclaimBoard
    /// Marks pointers to changed pages; it is random, so a forged file cannot contain it.
    private let dirtyToken: UInt64

    init(
        _ metaWriter: MetaWriter, _ options: StoreOptions, _ pager: Pager, _ treeLock: WriterLock,
        _ log: OpenLog, _ entrance: Entrance, _ reclaimBoard: StoreReclaimBoard
    ) throws(BullaError) {
        (parts, board) = (metaWriter.store, metaWriter.board)
        self.metaWriter = metaWriter
        self.options = options
        self.pager = pager
        self.treeLock = treeLock
        self.log = log
        self.entrance = entrance
        self.reclaimBoard = reclaimBoard
        growth = FileGrowth(
            file: parts.file, format: parts.header.format, flusher: metaWriter,
            tailByteLimit: options.tailByteLimit)
        memories = WriterMemories(pager)
        dirtyToken = try Random.word()
    }

    /// Takes the lock on the trees, and returns the record that the next change of the trees builds
    /// on.
    ///
    /// If the last holder died, this first finishes what that holder left half-done. Otherwise the
    /// change would build on an older record, which counts the holder's pages as free.
    ///
    /// - Throws: `busy`, or what finishing throws; then this process does not hold the lock.
    func lock() throws(BullaError) -> CommitRecord {
        try treeLock.acquire(timeout: options.lockTimeout) { () throws(BullaError) in
            try entrance.checkAlive()
        }
        do throws(BullaError) {
            try metaWriter.checkPoison()
            try metaWriter.takeUpNewer(to: "change the trees of")
            try adoptUnannouncedRoot()
            if try isKeySpent() { try beginEpoch(.next) }
            return try board.checkpoint()
        } catch {
            unlock()
            throw error
        }
    }

    package func unlock() { treeLock.release() }

    /// Whether the data key in use has sealed as many pages as it may.
    ///
    /// Call this under the lock on the trees, or as the only opener.
    func isKeySpent() throws(BullaError) -> Bool {
        guard !pager.isPlain else { return false }
        return board.seals.total(try board.checkpoint()) >= SealBudget.pagesPerEpoch
    }

    /// Begins a key epoch: from here on, pages are sealed under another data key.
    ///
    /// Call it under the lock on the trees.
    func beginEpoch(_ epoch: SealBudget.NewEpoch) throws(BullaError) {
        invariant(treeLock.isHeldHere, "a key epoch begins under the lock on the trees")
        // If this epoch is the first of a newer secret, take that secret up before any page is
        // sealed in the epoch.
        _ = try parts.takeUpSuccessor(named: board.checkpoint().keyringGeneration)
        try metaWriter.renew(SealBudget(epoch: epoch))
    }

    /// Makes an empty change of the trees.
    ///
    /// - Parameter commit: the number of the commit that the change will become; `nil` for the
    ///   number after the base's.
    func makeChange(
        over base: CommitRecord, commit: UInt64? = nil, _ memory: WriterMemory
    ) -> TreeChange {
        invariant(treeLock.isHeldHere, "trees are changed under the lock on them")
        let space = SpaceKeeper(
            parts.file, pager.format, growth, reclaimBoard, base: base,
            commit: commit ?? base.commit + 1, reclaimInterval: options.reclaimInterval)
        let pages = ChangedPages(pager, memory, space, over: base, dirtyToken: dirtyToken)
        return TreeChange(over: base, pages, dirtyByteLimit: options.dirtyByteLimit)
    }

    /// Seals a change, flushes its pages, and returns its record.
    func seal(_ change: TreeChange) throws(BullaError) -> CommitRecord {
        invariant(treeLock.isHeldHere, "a change is sealed under the lock on the trees")
        var record = try ChangeSealing(change: change).seal()
        try metaWriter.flushPages()
        record.sealedCount = board.seals.total(try board.checkpoint())
        return record
    }

    /// Drops a change's unwritten pages, and cuts off what the change added to the file.
    func giveUp(_ change: TreeChange) {
        change.pages.writer.drop()
        if !board.poison.isKnown { change.pages.space.giveBackGrowth() }
    }
}
