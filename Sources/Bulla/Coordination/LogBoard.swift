internal import BullaMemory

/// What the processes of a world tell each other of the log.
///
/// How far it is durable stands there sealed, and is verified. How far it was announced is a hint:
/// a process that believes it looks into the log, where alone stands what was committed.
final class LogBoard: Sendable {
    let words: SharedWords
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let keys: BoardKeys
    private let pair: BoardPair<DurableRecord>

    /// - Parameter poison: the one of this process, which every flush of it asks.
    init(_ world: World, _ store: StoreParts, _ poison: FlushPoison) {
        words = world.words
        self.poison = poison
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

    /// Lets others look for a commit, and wakes those that wait for one.
    ///
    /// To be called under the writer's lock, when the commit is whole.
    func announce(_ commit: UInt64) {
        // Fenced: a waiter that counts itself after the look at the count finds the word raised.
        words.storeFenced(commit, WorldLayout.logAnnounced)
        if words.loadAcquire(WorldLayout.logFollowing) != 0 {
            words.wake(WorldLayout.logAnnounced)
        }
    }

    /// Sleeps while nothing newer than `commit` is announced, at most for a while.
    func sleep(while commit: UInt64, atMost limit: Duration) {
        words.add(1, WorldLayout.logFollowing)
        let announced = announced
        if announced <= commit {
            words.wait(while: announced, WorldLayout.logAnnounced, atMost: limit)
        }
        words.add(UInt64.max, WorldLayout.logFollowing)
    }
}

/// What leaders say.
extension LogBoard {
    /// How far the log is durable.
    ///
    /// - Throws: `corrupted` when the coordination file was written to by somebody else.
    func durable() throws(BullaError) -> DurableRecord { try pair.record() }

    /// Says how far the log is durable.
    ///
    /// To be called under the flush lock, or by an opener that is alone.
    func post(_ record: DurableRecord) throws(BullaError) { try pair.post(record) }

    /// Takes up what a leader has posted that died before it said so.
    ///
    /// To be called under the flush lock.
    func raiseDurable() throws(BullaError) { try pair.raise() }

    /// Whether a leader has begun a flush and has not ended it.
    var isFlushing: Bool { words.loadAcquire(WorldLayout.logUnderWay) != 0 }

    /// Says that a flush is under way; under the flush lock.
    func beginFlush(_ commit: UInt64) { words.storeRelease(commit, WorldLayout.logUnderWay) }

    /// Says that it is done; under the flush lock.
    func endFlush() {
        words.storeRelease(0, WorldLayout.logUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    /// Whether a leader died in its flush, and no writer has seen to it yet.
    var wasInterrupted: Bool { words.loadAcquire(WorldLayout.logInterrupted) != 0 }

    /// Says so for every leader that comes; under the flush lock.
    func noteInterrupted() { words.storeRelease(1, WorldLayout.logInterrupted) }

    /// Takes that back; under the writer's lock, when all frames that there are are durable.
    func forgetInterrupted() { words.storeRelease(0, WorldLayout.logInterrupted) }
}
