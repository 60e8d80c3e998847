internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// An open store's parts, wired together.
package final class StoreCore: Sendable {
    let parts: StoreParts
    let options: StoreOptions
    let pager: Pager
    let board: CheckpointBoard
    let slots: ReaderSlots
    let snapshots: SnapshotCache
    let foundTrees: FoundTrees
    package let metaWriter: MetaWriter
    let world: World
    let writerLock: WriterLock
    let entrance: Entrance
    let place: PlaceCheck
    package let log: OpenLog
    package let trees: StoreTrees
    let recovery: RecoveryNote
    let dependents: StoreDependents
    /// The queues for the blocking work of tasks and of the store itself.
    let queues = StoreQueues()
    let chores: StoreChores
    /// Whether a thread of this process is sealing all pages anew.
    let isReencrypting = Atomic(false)
    /// Counts the write transactions of this process, to tell them apart.
    private let turns = Atomic<UInt64>(0)
    /// Whether the ``Store`` that opened this has been released, so that only snapshots and the
    /// like still hold the store.
    private let isForgotten = Atomic(false)

    init(
        _ parts: StoreParts, _ options: StoreOptions, pager: Pager, world: World,
        board: CheckpointBoard, writerLock: WriterLock, metaWriter: MetaWriter,
        sentinel: ForkSentinel?
    ) throws(BullaError) {
        self.parts = parts
        self.options = options
        self.pager = pager
        self.world = world
        self.board = board
        self.writerLock = writerLock
        self.metaWriter = metaWriter
        slots = try ReaderSlots(
            board, world, parts.file,
            commitLimit: options.snapshotCommitLimit.map { UInt64(clamping: $0) })
        snapshots = SnapshotCache(slots)
        foundTrees = try FoundTrees()
        entrance = Entrance(parts, options, pager, world, sentinel)
        place = PlaceCheck(parts, world)
        log = OpenLog(parts.path)
        recovery = RecoveryNote(parts.path, options.logger)
        dependents = StoreDependents(entrance.gate)
        chores = StoreChores(queues)
        let treeLock = WriterLock(
            file: parts.file, words: world.words, place: .tree, sentinel: sentinel)
        trees = try StoreTrees(
            metaWriter, options, pager, treeLock, log, entrance,
            StoreReclaimBoard(board, slots, metaWriter, place, entrance))
    }

    deinit { StoreClosing(core: self).endUnattended() }

    /// Returns a number for a transaction; no two transactions of the process get the same number.
    func nextTurn() -> UInt64 { turns.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Waits for the checkpoints that the store makes by itself, whether under way or in the queue.
    package func awaitCheckpoints() { queues.checkpointing.sync {} }

    /// Called when the ``Store`` that opened this is released; snapshots and the like that are not
    /// yet released keep the store open.
    func forget() {
        isForgotten.store(true, ordering: .releasing)
        chores.keepPromise(self)
        releaseOutsideTasks()
    }

    /// Lets another thread release this object if the program has released the ``Store``, and if
    /// this thread is one that tasks share.
    ///
    /// Releasing the last reference closes and flushes the store, and a thread that tasks share
    /// must not wait for that.
    func releaseOutsideTasks() {
        guard isForgotten.load(ordering: .acquiring), !entrance.gate.isShut, ThreadHint.isTask
        else { return }
        DispatchQueue.global(qos: .utility).async { [self] in withExtendedLifetime(self) {} }
    }
}
