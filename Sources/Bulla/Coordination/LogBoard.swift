internal import BullaMemory

/// What the processes of a world tell each other of the log.
///
/// How far it is durable stands there sealed, and is verified. How far it was announced is a hint:
/// a process that believes it looks into the log, where alone stands what was committed.
final class LogBoard: Sendable {
    let words: SharedWords
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let lock: FlushLock
    private let keys: BoardKeys
    private let pair: BoardPair<DurableRecord>

    /// - Parameter lock: under which leaders say something.
    init(_ world: World, _ store: StoreParts, _ lock: FlushLock) {
        words = world.words
        self.lock = lock
        poison = lock.poison
        keys = BoardKeys(world, store)
        pair = BoardPair(.log, world, keys)
    }

    /// Wipes the board's keys and buffers.
    ///
    /// To be called when nobody reads or posts.
    func end() { keys.end() }

    // MARK: Announcing

    /// The newest commit that a writer has announced: a hint.
    var announced: UInt64 { words.loadAcquire(WorldLayout.logAnnounced) }

    /// Lets others look for a commit.
    ///
    /// To be called under the writer's lock, when the commit is whole.
    func announce(_ commit: UInt64) { words.storeRelease(commit, WorldLayout.logAnnounced) }
}

/// What leaders say.
extension LogBoard {
    /// How far the log is durable.
    ///
    /// - Throws: `corrupted` when the coordination file was written to by somebody else.
    func durable() throws(BullaError) -> DurableRecord { try pair.record() }

    /// Says how far the log is durable.
    ///
    /// To be called under the flush lock.
    func post(_ record: DurableRecord) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a durable record is posted under the flush lock")
        try pair.post(record)
    }

    /// Says how far recovery has made the log durable.
    ///
    /// To be called by an opener that is alone.
    func begin(_ record: DurableRecord) throws(BullaError) {
        invariant(record.flush == 1, "the flushes of a world are counted from 1")
        try pair.begin(record)
    }

    /// Takes up what a leader has posted that died before it said so.
    ///
    /// To be called under the flush lock.
    func raiseDurable() throws(BullaError) {
        invariant(lock.isHeldByCaller, "a durable record is taken up under the flush lock")
        try pair.raise()
    }

    /// Whether a leader has begun a flush and has not ended it.
    var isFlushing: Bool { words.loadAcquire(WorldLayout.logUnderWay) != 0 }

    /// Says that a flush is under way; under the flush lock.
    func beginFlush(_ commit: UInt64) {
        invariant(lock.isHeldByCaller, "a flush begins under the flush lock")
        invariant(commit > 0, "a flush that is under way covers a commit")
        words.storeRelease(commit, WorldLayout.logUnderWay)
    }

    /// Says that the flush under way has ended, and counts it; under the flush lock.
    func endFlush() {
        invariant(lock.isHeldByCaller, "a flush ends under the flush lock")
        words.storeRelease(0, WorldLayout.logUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    /// Whether a leader died in its flush, and no writer has seen to it yet.
    var wasInterrupted: Bool { words.loadAcquire(WorldLayout.logInterrupted) != 0 }

    /// Tells every later leader that a leader died in its flush; under the flush lock.
    func noteInterrupted() {
        invariant(lock.isHeldByCaller, "a flush is called interrupted under the flush lock")
        words.storeRelease(1, WorldLayout.logInterrupted)
    }

    /// Clears the note of an interrupted flush; under the writer's lock, once every frame is
    /// durable.
    func forgetInterrupted() { words.storeRelease(0, WorldLayout.logInterrupted) }
}
