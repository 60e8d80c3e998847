internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// What a store does by itself, on threads of its own: it flushes relaxed commits, marks how far
/// the log is durable, and makes checkpoints.
///
/// It makes a checkpoint when no process has written for a while, when a commit has moved on to the
/// other half of the log, and when a scan or a cursor has passed many tombstones. Work that has
/// begun keeps the store open. Work that is only scheduled does not, except the flush of
/// ``keepPromise(_:)``.
final class StoreChores: Sendable {
    private let flushing: DispatchQueue
    private let checkpointing: DispatchQueue
    /// When the next flush for relaxed commits is due; `nil` if no commit needs one.
    private let nextFlush = Mutex<DispatchTime?>(nil)
    /// Whether a thread is waiting to mark how far the log is durable.
    private let isMarking = Atomic(false)
    /// Whether a checkpoint is waiting for its thread.
    private let isCheckpointing = Atomic(false)
    /// When tombstones last made the store ask for a checkpoint; in seconds since the system
    /// started.
    private let lastTombstones = Atomic<UInt64>(0)
    /// Whether a checkpoint is waiting for a time without writes.
    private let isAwaitingIdleness = Atomic(false)

    /// This many seconds after the last flush, the store marks how far the log is durable.
    private static let idleTime = 0.5
    /// The shortest log, in bytes, that a checkpoint takes over after ``idleTime``; a shorter one
    /// waits for ``longIdleTime``.
    private static let idleByteCount: UInt64 = 1 << 20
    /// After this many seconds without a write, a checkpoint takes over a log that is shorter than
    /// ``idleByteCount``.
    private static let longIdleTime = 10.0
    /// How many times a flush is tried once the program has released the ``Store``; each try can
    /// wait as long as the lock timeout.
    private static let promiseLimit = 100

    init(_ queues: StoreQueues) {
        (flushing, checkpointing) = (queues.flushing, queues.checkpointing)
    }

    /// Begins a flush by `deadline`; the flush covers all that is published when it begins.
    ///
    /// A timer that has not fired yet serves every relaxed commit whose deadline is not before the
    /// timer's, because a timer for each commit would cost more than the commit.
    func flush(_ core: StoreCore, by deadline: DispatchTime) {
        let isFirst = nextFlush.withLock { next in
            guard next.map({ deadline < $0 }) ?? true else { return false }
            next = deadline
            return true
        }
        guard isFirst else { return }
        // If nothing refers to the store by then, ``keepPromise(_:)`` has made the flush.
        flushing.asyncAfter(deadline: deadline) { [weak core, self] in
            guard let core else { return }
            // Clear this before the flush looks for commits, so that a writer that comes later asks
            // for another flush.
            nextFlush.withLock { if $0 == deadline { $0 = nil } }
            do throws(BullaError) {
                try core.entrance.use { () throws(BullaError) in
                    try core.log.awaitDurable(core.log.newestCommit())
                    markWhenIdle(core)
                }
            } catch {
                tryAgain(core, after: error)
            }
        }
    }

    /// Tries a flush for relaxed commits again, if it can succeed.
    private func tryAgain(_ core: StoreCore, after error: BullaError) {
        // Another thread or process held a lock, so a later try can succeed.
        guard error.code != .notYetDurable, error.code != .busy else {
            return flush(core, by: .now() + Self.idleTime)
        }
        warn(core, error)
        // Memory may be free again later.
        if error.code == .outOfMemory { flush(core, by: .now() + Self.longIdleTime) }
    }

    /// Warns that a flush failed; the next caller that commits or waits gets an error too, but a
    /// caller that closes the store does not.
    private func warn(_ core: StoreCore, _ error: BullaError) {
        // A forked child has nothing to flush.
        guard ![.closed, .usedAfterFork].contains(error.code) else { return }
        core.options.logger?.warning(
            "a flush failed: what relaxed commits have changed may be lost: \(error)",
            metadata: ["store": "\(core.parts.path)"])
    }

    /// Keeps the promise to flush commits of relaxed durability, once the program has released the
    /// ``Store``.
    ///
    /// Closing the store would flush too, but closing gives up when another process holds the flush
    /// lock for too long.
    func keepPromise(_ core: StoreCore) {
        guard !core.entrance.gate.isShut, nextFlush.withLock({ $0 != nil }) else { return }
        flushing.async { [self] in
            for _ in 0..<Self.promiseLimit {
                do throws(BullaError) {
                    try core.entrance.use { () throws(BullaError) in
                        try core.log.awaitDurable(core.log.newestCommit())
                    }
                    return
                } catch {
                    guard error.code != .notYetDurable, error.code != .busy else { continue }
                    return warn(core, error)
                }
            }
        }
    }

    /// Makes sure that, within a second of the last flush, a mark says how far the log is durable.
    func markWhenIdle(_ core: StoreCore) {
        guard !isMarking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        flushing.asyncAfter(deadline: .now() + Self.idleTime) { [weak core, self] in
            guard let core else { return }
            isMarking.store(false, ordering: .releasing)
            guard core.entrance.isOriginal else { return }
            // Ask for the log only inside the gate: otherwise a thread that waits while the store
            // is being closed would keep the log's keys in memory.
            let isMarked = try? core.entrance.use { () throws(BullaError) in
                try core.log.demand().shared.markIfIdle()
            }
            // If there was another flush meanwhile, mark what it made durable too.
            if isMarked == false { return markWhenIdle(core) }
            checkpointWhenIdle(core)
        }
    }

    /// Asks another thread to make a checkpoint as soon as no process has written for a while.
    private func checkpointWhenIdle(_ core: StoreCore) {
        guard core.options.checkpointsWhenIdle, core.options.access == .readWrite else { return }
        let byteCount = try? core.entrance.use { () throws(BullaError) in
            try core.log.demand().shared.byteCount()
        }
        guard let byteCount, byteCount > 0 else { return }
        guard byteCount < Self.idleByteCount else { return checkpointSoon(core) }
        guard !isAwaitingIdleness.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let flush = core.board.words.loadAcquire(WorldLayout.logDurable)
        checkpointing.asyncAfter(deadline: .now() + Self.longIdleTime) { [weak core, self] in
            guard let core else { return }
            isAwaitingIdleness.store(false, ordering: .releasing)
            guard core.entrance.isOriginal else { return }
            let isIdle = core.board.words.loadAcquire(WorldLayout.logDurable) == flush
            // If there was a flush during this wait, ``checkpointWhenIdle(_:)`` may have been
            // called after the flush, and have done nothing because this wait was pending. So wait
            // once more.
            if isIdle { checkpointSoon(core) } else { markWhenIdle(core) }
        }
    }

    /// Asks another thread to make a checkpoint, because a scan or a cursor has passed thousands of
    /// tombstones (deleted keys) in the log.
    ///
    /// It does nothing if the trees have already taken over the commit, because then only snapshots
    /// of older trees still pass the tombstones. It acts at most once every ten seconds, because
    /// the checkpoint may take over only a part of a half that is still in use, which frees
    /// nothing.
    ///
    /// - Parameter commit: the commit that the scan or cursor sees.
    func checkpointTombstones(_ core: StoreCore, upTo commit: UInt64) {
        guard core.options.checkpointsWhenIdle, core.options.access == .readWrite,
            let checkpoint = try? core.board.checkpoint(), checkpoint.commit < commit
        else { return }
        let (now, last) = (SystemClock.seconds, lastTombstones.load(ordering: .relaxed))
        guard now >= last + UInt64(Self.longIdleTime) else { return }
        lastTombstones.store(now, ordering: .relaxed)
        checkpointSoon(core)
    }

    /// Asks another thread to make a checkpoint.
    func checkpointSoon(_ core: StoreCore) {
        guard !isCheckpointing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        checkpointing.async { [weak core, self] in
            guard let core else { return }
            isCheckpointing.store(false, ordering: .releasing)
            do throws(BullaError) {
                try core.entrance.use { () throws(BullaError) in
                    _ = try StoreCheckpoint(core: core).makeAside()
                }
            } catch {
                guard ![.closed, .usedAfterFork].contains(error.code) else { return }
                core.options.logger?.warning(
                    "a checkpoint failed; commits go on as long as the log has room: \(error)",
                    metadata: ["store": "\(core.parts.path)"])
            }
        }
    }
}
