internal import BullaMemory
internal import Synchronization

/// Lets some of those come along in a flush that write at this moment, or wait to write.
///
/// Half of all, so that one half writes while the other half's flush is under way. But the leader
/// waits no longer than a flush itself takes, and not at all where nobody comes.
final class FlushCompany: Sendable {
    private let words: SharedWords
    private let writerLock: WriterLock
    /// How long the last flush took, in nanoseconds.
    private let flushTime = Atomic<Int64>(0)

    /// How long a leader waits for company at most, however slow the disk is.
    private static let limit: Duration = .milliseconds(5)

    init(_ words: SharedWords, _ writerLock: WriterLock) {
        self.words = words
        self.writerLock = writerLock
    }

    /// Waits until the half has come.
    ///
    /// - Parameters:
    ///   - durable: the last durable commit.
    ///   - former: the one before the flush that made that one durable.
    ///   - newest: the newest commit, asked again and again.
    func wait(
        durable: UInt64, former: UInt64, newest: () throws(BullaError) -> UInt64
    ) throws(BullaError) {
        // Wrapping: whatever comes of words that somebody else wrote, the wait is bounded.
        let (servedLast, waiting) = (durable &- former, try newest() &- durable)
        let awaited = durable &+ (servedLast &+ waiting &+ 1) / 2
        let flushTime = Duration.nanoseconds(flushTime.load(ordering: .relaxed))
        let end = ContinuousClock.now + min(flushTime, Self.limit)
        // Fenced: a writer that leaves after the looks at what is published, and at those that
        // want to write, sees that somebody waits.
        words.storeFenced(awaited, WorldLayout.companyAwaited)
        defer { words.storeRelease(0, WorldLayout.companyAwaited) }
        while words.loadAcquire(WorldLayout.companyAwaited) == awaited, try newest() < awaited {
            let left = end - ContinuousClock.now
            guard left > .zero, writerLock.isWanted else { return }
            words.wait(while: awaited, WorldLayout.companyAwaited, atMost: left)
        }
    }

    /// Runs a leader's flush, and notes how long it took.
    func measure(_ flush: () throws(BullaError) -> Void) throws(BullaError) {
        let start = ContinuousClock.now
        try flush()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        flushTime.store(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    }
}
