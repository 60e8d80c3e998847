internal import BullaMemory
internal import Dispatch
internal import Logging
internal import Synchronization

/// What a store does by itself, on threads of its own: flushes of relaxed commits, marks, and
/// checkpoints when nobody writes.
///
/// Nothing that waits here keeps the store open; what is being done does.
final class StoreChores: Sendable {
    private let flushing: DispatchQueue
    private let checkpointing: DispatchQueue
    /// When the next flush for relaxed commits comes; `nil` while nobody needs one.
    private let nextFlush = Mutex<DispatchTime?>(nil)
    /// Whether a thread waits to mark how far the log is durable.
    private let isMarking = Atomic(false)
    /// Whether a checkpoint waits for its thread.
    private let isCheckpointing = Atomic(false)
    /// When tombstones asked for one, in seconds since the system started.
    private let lastTombstones = Atomic<UInt64>(0)
    /// Whether one waits for nobody to write any more.
    private let isAwaitingIdleness = Atomic(false)

    /// How long nobody has to flush before it is marked how far the log is durable.
    private static let idleTime = 0.5
    /// So many bytes of the log are taken over then; fewer, later.
    private static let idleByteCount: UInt64 = 1 << 20
    /// How long nobody has to write for that.
    private static let longIdleTime = 10.0
    /// How often the flush of a store that was forgotten is tried; each try waits for the lock's
    /// timeout.
    private static let promiseLimit = 100

    init(_ queues: StoreQueues) {
        (flushing, checkpointing) = (queues.flushing, queues.checkpointing)
    }

    /// Begins a flush at `deadline` at the latest, of all that is published when it begins.
    ///
    /// One flush serves all relaxed commits until it comes: a timer for each would cost more than
    /// the commits.
    func flush(_ core: StoreCore, by deadline: DispatchTime) {
        let isFirst = nextFlush.withLock { next in
            guard next.map({ deadline < $0 }) ?? true else { return false }
            next = deadline
            return true
        }
        guard isFirst else { return }
        // Of a store that nobody refers to any more, ``keepPromise(_:)`` makes the flush.
        flushing.asyncAfter(deadline: deadline) { [weak core, self] in
            guard let core else { return }
            // Given up before it is looked what there is: a later writer asks anew.
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

    /// Tries a flush for relaxed commits again, where it may succeed.
    private func tryAgain(_ core: StoreCore, after error: BullaError) {
        // Others hold the lock.
        guard error.code != .notYetDurable, error.code != .busy else {
            return flush(core, by: .now() + Self.idleTime)
        }
        warn(core, error)
        // What was missing may come back.
        if error.code == .outOfMemory { flush(core, by: .now() + Self.longIdleTime) }
    }

    /// Says that a flush failed; the next caller that commits or waits is told, too, but closing
    /// tells nobody.
    private func warn(_ core: StoreCore, _ error: BullaError) {
        // A forked child has nothing to flush.
        guard ![.closed, .usedAfterFork].contains(error.code) else { return }
        core.options.logger?.warning(
            "a flush failed: what relaxed commits have changed may be lost: \(error)",
            metadata: ["store": "\(core.parts.path)"])
    }

    /// Makes the flush that was promised for later, of a store whose handle has gone: closing it
    /// would flush too, but gives up when another process holds the lock for too long.
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

    /// Sees to it that how far the log is durable is marked within a second after the last flush.
    func markWhenIdle(_ core: StoreCore) {
        guard !isMarking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        flushing.asyncAfter(deadline: .now() + Self.idleTime) { [weak core, self] in
            guard let core else { return }
            isMarking.store(false, ordering: .releasing)
            guard core.entrance.isOriginal else { return }
            // The log is asked for inside: a thread that waits for a close would hold its keys.
            let isMarked = try? core.entrance.use { () throws(BullaError) in
                try core.log.demand().shared.markIfIdle()
            }
            // Somebody has flushed meanwhile: what is durable since is to be marked, too.
            if isMarked == false { return markWhenIdle(core) }
            checkpointWhenIdle(core)
        }
    }

    /// Has another thread take over what the log says, since nobody writes.
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
            // This wait may have kept the writer of a flush since then from one of its own.
            if isIdle { checkpointSoon(core) } else { markWhenIdle(core) }
        }
    }

    /// Has another thread take over what the log says, since a walk has passed thousands of
    /// tombstones in it.
    ///
    /// Not where the trees have them already, which a snapshot that is held does not see; and not
    /// often, since what it takes over may lie in a half that goes on.
    ///
    /// - Parameter commit: that the walk sees.
    func checkpointTombstones(_ core: StoreCore, upTo commit: UInt64) {
        guard core.options.checkpointsWhenIdle, core.options.access == .readWrite,
            let checkpoint = try? core.board.checkpoint(), checkpoint.commit < commit
        else { return }
        let (now, last) = (SystemClock.seconds, lastTombstones.load(ordering: .relaxed))
        guard now >= last + UInt64(Self.longIdleTime) else { return }
        lastTombstones.store(now, ordering: .relaxed)
        checkpointSoon(core)
    }

    /// Has another thread take over what stands in the log.
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
