internal import BullaMemory
internal import Synchronization

/// Writes the marks that say how far the log is durable: at most one a second while flushes go on,
/// and one when half a second has passed since the last flush.
///
/// Each process measures the time itself, so a stranger that writes to shared memory cannot hold
/// marks back.
final class LogMarker: Sendable {
    private let marks: Mutex<LogMarks>
    private let lock: FlushLock
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let times: Mutex<Times>

    private struct Times {
        /// When this process wrote its last mark, or joined.
        var marked: ContinuousClock.Instant
        /// The newest flush, by any process, that this process knows of; `seen` is when it saw that
        /// flush.
        var flush: UInt64 = 0
        var seen: ContinuousClock.Instant
    }

    private static let interval: Duration = .seconds(1)
    private static let idleTime: Duration = .milliseconds(500)

    init(
        _ marks: consuming sending LogMarks, _ lock: FlushLock,
        _ clock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        let now = clock()
        self.marks = Mutex(marks)
        self.lock = lock
        self.clock = clock
        times = Mutex(Times(marked: now, seen: now))
    }

    /// Whether nobody has flushed for half a second, as far as this process has seen.
    func isIdle(_ durable: DurableRecord) -> Bool {
        let now = clock()
        return times.withLock { times in
            if times.flush != durable.flush {
                (times.flush, times.seen) = (durable.flush, now)
                return false
            }
            return now - times.seen >= Self.idleTime
        }
    }

    /// Marks what a flush has just made durable, if a second has passed since the last mark.
    ///
    /// The caller holds the flush lock, and has posted the record.
    func markIfDue(
        _ durable: DurableRecord, through handle: any FlushHandle
    ) throws(BullaError) {
        invariant(lock.isHeldByCaller, "what is durable is marked under the flush lock")
        let now = clock()
        let isDue = times.withLock { times in
            (times.flush, times.seen) = (durable.flush, now)
            return now - times.marked >= Self.interval
        }
        if isDue { try mark(durable, through: handle) }
    }

    /// Replaces both marks with the newer one, under the secret of the key epoch in use.
    ///
    /// The caller holds the flush lock.
    ///
    /// - Throws: as ``mark(_:through:)``.
    func renew(through handle: any FlushHandle) throws(BullaError) {
        invariant(lock.isHeldByCaller, "marks are renewed under the flush lock")
        try marks.withLock { marks throws(BullaError) in try marks.renew(through: handle) }
    }

    /// Marks how far the log is durable, unless that is marked already.
    ///
    /// The caller holds the flush lock.
    ///
    /// - Throws: `io`, `full`; then the caller must poison the log.
    func mark(_ durable: DurableRecord, through handle: any FlushHandle) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a mark is written under the flush lock")
        try marks.withLock { marks throws(BullaError) in
            try marks.write(durable.position, through: handle)
        }
        times.withLock { $0.marked = clock() }
    }
}
