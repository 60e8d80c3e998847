internal import BullaMemory

/// What the processes of a world tell each other about the log.
///
/// A sealed record, which each process verifies, says how far the log is durable. The number of the
/// newest announced commit is only a hint: a process that follows it looks into the log, and only
/// the log says what was committed.
final class LogBoard: Sendable {
    let words: SharedWords
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let lock: FlushLock
    private let keys: BoardKeys
    private let pair: BoardPair<DurableRecord>

    /// - Parameter lock: the flush lock, whose poison each flush of this process checks.
    init(_ world: World, _ store: StoreParts, _ lock: FlushLock) {
        words = world.words
        self.lock = lock
        poison = lock.poison
        keys = BoardKeys(world, store)
        pair = BoardPair(.log, world, keys)
    }

    /// Wipes the board's keys and buffers.
    ///
    /// Call it when no thread reads or posts any more.
    func end() { keys.end() }
}

/// What leaders post; a leader is a thread that flushes for all threads that wait.
extension LogBoard {
    /// How far the log is durable.
    ///
    /// - Throws: `corrupted` if a stranger wrote to the coordination file.
    func durable() throws(BullaError) -> DurableRecord { try pair.record() }

    /// The number of the durable record, as the board gives it: quick to read, but unverified.
    ///
    /// - Throws: `corrupted` if that number is lower than one that this process has verified.
    @inline(__always)
    func claimed() throws(BullaError) -> UInt64 { try pair.claimed() }

    /// Posts how far the log is durable.
    ///
    /// Call it under the flush lock.
    func post(_ record: DurableRecord) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a durable record is posted under the flush lock")
        try pair.post(record)
    }

    /// Posts how far recovery has made the log durable.
    ///
    /// Call it while no other process has the store open.
    func begin(_ record: DurableRecord) throws(BullaError) {
        invariant(record.flush == 1, "the flushes of a world are counted from 1")
        try pair.begin(record)
    }

    /// Takes up a newer record if a leader wrote one, but died before it raised the word that names
    /// the newest record.
    ///
    /// Call it under the flush lock.
    func raiseDurable() throws(BullaError) {
        invariant(lock.isHeldByCaller, "a durable record is taken up under the flush lock")
        try pair.raise()
    }

    /// Whether a leader has begun a flush and has not ended it.
    var isFlushing: Bool { words.loadAcquire(WorldLayout.logUnderWay) != 0 }

    /// Notes that a flush is under way; the caller holds the flush lock.
    func beginFlush(_ commit: UInt64) {
        invariant(lock.isHeldByCaller, "a flush begins under the flush lock")
        invariant(commit > 0, "a flush that is under way covers a commit")
        words.storeRelease(commit, WorldLayout.logUnderWay)
    }

    /// Notes that the flush under way has ended, and counts it; the caller holds the flush lock.
    func endFlush() {
        invariant(lock.isHeldByCaller, "a flush ends under the flush lock")
        words.storeRelease(0, WorldLayout.logUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    /// Whether a leader died in its flush, and no writer has dealt with that yet.
    var wasInterrupted: Bool { words.loadAcquire(WorldLayout.logInterrupted) != 0 }

    /// Tells all later leaders that a leader died in its flush; the caller holds the flush lock.
    func noteInterrupted() {
        invariant(lock.isHeldByCaller, "a flush is called interrupted under the flush lock")
        words.storeRelease(1, WorldLayout.logInterrupted)
    }

    /// Clears the note of an interrupted flush; the caller holds the writer lock, and every frame
    /// is durable.
    func forgetInterrupted() { words.storeRelease(0, WorldLayout.logInterrupted) }
}
