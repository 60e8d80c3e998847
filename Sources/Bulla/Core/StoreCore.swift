internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// An open store's parts, wired together.
final class StoreCore: Sendable {
    let parts: StoreParts
    let options: StoreOptions
    let pager: Pager
    let growth: FileGrowth
    let board: CommitBoard
    let slots: ReaderSlots
    let flusher: Flusher
    let world: World
    let writerLock: WriterLock
    /// Held by the one that changes the trees.
    let treeLock: WriterLock
    let sentinel: ForkSentinel?
    private let openLog = Mutex<StoreLog?>(nil)
    /// What every use of the store goes through, and close shuts.
    let gate = Gate()
    /// The newest commit that was durable when the store was closed.
    let lastDurable = Atomic<UInt64>(0)
    /// Whether what is read may be in the kernel's page cache alone: opened for reading after a
    /// crash.
    let isUnflushed = Atomic(false)
    /// Whether the handle that opened the store has gone, and only snapshots hold it.
    let isForgotten = Atomic(false)
    /// Tells one write transaction of this process from another.
    private let turns = Atomic<UInt64>(0)
    /// Whether a thread waits to mark how far the log is durable.
    let isMarking = Atomic(false)
    /// Whether a checkpoint waits for its thread.
    let isCheckpointing = Atomic(false)
    /// Whether one waits for nobody to write any more.
    let isAwaitingIdleness = Atomic(false)
    /// Whether a thread of this process seals all pages anew.
    let isReencrypting = Atomic(false)
    /// What opening had to give up or to doubt; `nil` where nothing.
    let recoveryNote = Mutex<String?>(nil)
    /// Marks pointers to changed pages; no file can know it.
    let dirtyToken: UInt64
    let idleMemory = Mutex<[WriterMemory]>([])
    /// What has secrets of its own, and ends with the store.
    let dependents = Mutex<[Dependent]>([])
    /// Blocking work of tasks, off the threads that tasks share.
    let reading = DispatchQueue(label: "bulla.read", attributes: .concurrent)
    let writing = DispatchQueue(label: "bulla.write")
    let flushing = DispatchQueue(label: "bulla.flush")
    let checkpointing = DispatchQueue(label: "bulla.checkpoint")
    /// When the store was last seen to be where it was opened, by a commit to the log.
    let lastPlaceCheck = Mutex<ContinuousClock.Instant?>(nil)
    /// When the next flush for relaxed commits comes; nil while nobody needs one.
    let nextFlush = Mutex<DispatchTime?>(nil)

    init(
        _ parts: StoreParts, _ options: StoreOptions, pager: Pager, world: World,
        board: CommitBoard, writerLock: WriterLock, flusher: Flusher, sentinel: ForkSentinel?
    ) throws(BullaError) {
        self.parts = parts
        self.options = options
        self.pager = pager
        self.world = world
        self.board = board
        self.writerLock = writerLock
        self.flusher = flusher
        self.sentinel = sentinel
        treeLock = WriterLock(
            file: parts.file, words: world.words, place: .tree, sentinel: sentinel)
        growth = FileGrowth(
            file: parts.file, format: parts.header.format, flusher: flusher,
            tailByteLimit: options.tailByteLimit)
        slots = try ReaderSlots(
            board, world, parts.file,
            commitLimit: options.snapshotCommitLimit.map { UInt64(clamping: $0) })
        dirtyToken = try Random.word()
    }

    deinit { endUnattended() }

    /// `nil` while the store is being opened, and when it has ended.
    var log: StoreLog? { openLog.withLock { $0 } }

    func begin(_ log: StoreLog) { openLog.withLock { $0 = log } }

    func endLog() { openLog.withLock { $0.take() }?.end() }

    func checkWritable() throws(BullaError) {
        try checkUse()
        guard options.access == .readWrite else {
            throw BullaError(
                .readOnly,
                "write to \(parts.path): it was opened for reading alone; open it "
                    + "for reading and writing")
        }
    }

    /// Refuses a thread or task that is in a write of its own, and would wait for its end.
    func checkTurn(_ attempt: String = "begin a write to") throws(BullaError) {
        try writerLock.checkTurn(attempt)
    }

    /// A change of the trees that has changed nothing yet.
    ///
    /// - Parameter commit: the number that it will have; `nil`: the one after its base's.
    func makeChange(
        over base: CommitRecord, commit: UInt64? = nil, _ memory: WriterMemory
    ) -> TreeChange {
        let space = SpaceKeeper(
            parts.file, pager.format, growth, self, base: base, commit: commit ?? base.commit + 1,
            reclaimInterval: options.reclaimInterval)
        let pages = ChangedPages(pager, memory, space, over: base, dirtyToken: dirtyToken)
        return TreeChange(over: base, pages, dirtyByteLimit: options.dirtyByteLimit)
    }

    /// Names a transaction; no two of the process have the same number.
    func nextTurn() -> UInt64 { turns.wrappingAdd(1, ordering: .relaxed).newValue }

    /// What the next change of the trees builds on, under the lock on them.
    func writeBase() throws(BullaError) -> CommitRecord {
        if try isKeySpent() { try beginEpoch(.next) }
        return try board.checkpoint()
    }

    /// Whether the data key in use has sealed as many pages as it may.
    ///
    /// To be called under the lock on the trees, or by the only opener.
    func isKeySpent() throws(BullaError) -> Bool {
        guard !pager.isPlain else { return false }
        return board.seals.total(try board.checkpoint()) >= SealBudget.epochLimit
    }

    /// Begins a key epoch: what is sealed from here on lies under another data key.
    ///
    /// To be called under the lock on the trees.
    func beginEpoch(_ epoch: SealBudget.NewEpoch) throws(BullaError) {
        // An epoch that another secret begins with must not be sealed under this one.
        _ = try parts.takeUpSuccessor(named: board.checkpoint().keyringGeneration)
        try flusher.renew(SealBudget(epoch: epoch))
    }

    func takeMemory() throws(BullaError) -> WriterMemory {
        if let memory = idleMemory.withLock({ $0.popLast() }) { return memory }
        return try WriterMemory(pager)
    }

    /// Drops what a change of the trees has written, and gives back what it has made the file
    /// longer by.
    func giveUp(_ change: TreeChange) {
        change.pages.writer.drop()
        if !board.poison.isKnown { change.pages.space.giveBackGrowth() }
    }

    /// Keeps a transaction's memory for the next; a second one, of a transaction that ended while
    /// another was writing, only if it is small.
    func takeBack(_ memory: WriterMemory) {
        memory.freeAll()
        let isKept = idleMemory.withLock { idle in
            guard idle.isEmpty || idle.count == 1 && memory.isSmall else { return false }
            idle.append(memory)
            return true
        }
        if !isKept { memory.wipe() }
    }

    /// Empties the memory that waits for transactions, of which there are no more.
    func wipeIdleMemory() {
        idleMemory.withLock { idle in
            for memory in idle { memory.wipe() }
            idle.removeAll()
        }
    }
}

extension StoreCore: ReclaimBoard {
    func confirmedCommit() throws(BullaError) -> UInt64 {
        try board.checkpoint().lastDurable
    }

    func snapshotCommits() throws(BullaError) -> [UInt64] { try slots.snapshotCommits() }

    func checkPlace() throws(BullaError) {
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            throw replaced(parts.path)
        }
        guard try world.isInPlace(parts.storage) else { throw replaced(world.path) }
    }

    private func replaced(_ path: String) -> BullaError {
        BullaError(
            .replaced,
            "commit to \(parts.path): \(path) was deleted, or another file stands in its place; "
                + "close the store everywhere and open it again")
    }

    @inline(__always)
    func checkProcess() throws(BullaError) {
        if let sentinel, !sentinel.isOriginal { throw usedAfterFork() }
    }

    func confirmCheckpoint() throws(BullaError) { try flusher.confirmCheckpoint() }

    func reserveSeals(_ count: UInt64) throws(BullaError) {
        let durable = try board.checkpoint()
        guard board.seals.add(count, durable) > durable.reservedCount else { return }
        try flusher.renew(SealBudget(wanted: count))
    }
}
