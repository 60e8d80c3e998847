internal import BullaMemory
internal import Synchronization

/// Makes a leader wait for other writers, so that its flush covers their commits too.
///
/// The leader waits for half of those that are writing or want to write, so that one half writes
/// while the flush of the other half runs. It waits no longer than a flush takes, and not at all if
/// nobody else wants to write.
final class FlushCompany: Sendable {
    private let words: SharedWords
    private let writerLock: WriterLock
    /// How long the last flush took, in nanoseconds.
    private let flushTime = Atomic<Int64>(0)

    /// The longest wait for other writers, however slow the disk is.
    private static let limit: Duration = .milliseconds(5)

    init(_ words: SharedWords, _ writerLock: WriterLock) {
        self.words = words
        self.writerLock = writerLock
    }

    /// Waits until half of the writers have committed, but no longer than the last flush took.
    ///
    /// - Parameters:
    ///   - durable: the last durable commit.
    ///   - former: what `durable` was before the last flush.
    ///   - newest: returns the newest commit; it is called repeatedly.
    func wait(
        durable: UInt64, former: UInt64, newest: () throws(BullaError) -> UInt64
    ) throws(BullaError) {
        // A stranger may have written any numbers, so wrap instead of trapping; the wait is bounded
        // in any case.
        let (servedLast, waiting) = (durable &- former, try newest() &- durable)
        let awaited = durable &+ (servedLast &+ waiting &+ 1) / 2
        let flushTime = Duration.nanoseconds(flushTime.load(ordering: .relaxed))
        let end = ContinuousClock.now + min(flushTime, Self.limit)
        // Fenced, so that a writer that finishes or gives up after the checks below sees that a
        // leader waits for it.
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
