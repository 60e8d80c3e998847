internal import BullaMemory

/// What the processes of a world tell each other about the log.
///
/// How far the log is durable stands in a sealed record, which each process verifies. How far it
/// was announced is a hint: a process that follows the hint looks into the log, which alone says
/// what was committed.
final class LogBoard: Sendable {
    let words: SharedWords
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let keys: BoardKeys
    private let pair: BoardPair<DurableRecord>

    /// - Parameter poison: the one of this process, which each of its flushes checks.
    init(_ world: World, _ store: StoreParts, _ poison: FlushPoison) {
        words = world.words
        self.poison = poison
        keys = BoardKeys(world, store)
        pair = BoardPair(.log, world, keys)
    }

    /// Wipes the board's keys and buffers.
    ///
    /// Call it when nobody reads or posts.
    func end() { keys.end() }

    // MARK: Announcing

    /// The newest commit that a writer has announced: a hint.
    var announced: UInt64 { words.loadAcquire(WorldLayout.logAnnounced) }

    /// Tells others to look for a commit.
    ///
    /// The caller holds the writer lock, and the commit is whole.
    func announce(_ commit: UInt64) { words.storeRelease(commit, WorldLayout.logAnnounced) }
}

/// What leaders post.
extension LogBoard {
    /// How far the log is durable.
    ///
    /// - Throws: `corrupted` if a stranger wrote to the coordination file.
    func durable() throws(BullaError) -> DurableRecord { try pair.record() }

    /// The number of the record that says how far the log is durable, for a quick look.
    ///
    /// - Throws: `corrupted` when it is lower than one that this process has verified.
    @inline(__always)
    func claimed() throws(BullaError) -> UInt64 { try pair.claimed() }

    /// Posts how far the log is durable.
    ///
    /// Call it under the flush lock, or as an opener that is alone.
    func post(_ record: DurableRecord) throws(BullaError) { try pair.post(record) }

    /// Takes up a record whose leader died after posting it and before raising the word.
    ///
    /// Call it under the flush lock.
    func raiseDurable() throws(BullaError) { try pair.raise() }

    /// Whether a leader has begun a flush and has not ended it.
    var isFlushing: Bool { words.loadAcquire(WorldLayout.logUnderWay) != 0 }

    /// Notes that a flush is under way; the caller holds the flush lock.
    func beginFlush(_ commit: UInt64) { words.storeRelease(commit, WorldLayout.logUnderWay) }

    /// Notes that the flush under way has ended, and counts it; the caller holds the flush lock.
    func endFlush() {
        words.storeRelease(0, WorldLayout.logUnderWay)
        words.add(1, WorldLayout.flushes)
    }

    /// Whether a leader died in its flush, and no writer has dealt with that yet.
    var wasInterrupted: Bool { words.loadAcquire(WorldLayout.logInterrupted) != 0 }

    /// Tells all later leaders that a leader died in its flush; the caller holds the flush lock.
    func noteInterrupted() { words.storeRelease(1, WorldLayout.logInterrupted) }

    /// Clears the note of an interrupted flush; the caller holds the writer lock, and every frame
    /// is durable.
    func forgetInterrupted() { words.storeRelease(0, WorldLayout.logInterrupted) }
}
