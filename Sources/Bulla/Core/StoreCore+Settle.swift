internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Making commits durable, at once or later.
extension StoreCore {
    /// Waits for what the durability asks.
    ///
    /// - Parameters:
    ///   - start: when the wait began.
    ///   - isInside: whether the caller has gone through the gate, be it on another thread.
    func settle(
        _ commit: UInt64, _ durability: Durability, since start: ContinuousClock.Instant = .now,
        isInside: Bool = false
    ) throws(BullaError) {
        if isInside { return try settleInside(commit, durability, start) }
        do throws(BullaError) {
            try use { () throws(BullaError) in try settleInside(commit, durability, start) }
        } catch {
            // The thread that closed the store in between has flushed what was published.
            guard error.code == .closed, commit <= lastDurable.load(ordering: .acquiring) else {
                throw error
            }
        }
    }

    private func settleInside(
        _ commit: UInt64, _ durability: Durability, _ start: ContinuousClock.Instant
    ) throws(BullaError) {
        switch durability {
        case .full:
            // A relaxed commit may not have looked.
            try checkPlace(unlessWithin: Self.placeCheckAge)
            try awaitFlush(commit, since: start)
            markWhenIdle()
        case .relaxed(let delay):
            flush(by: .now() + delay.inSeconds)
        }
    }

    /// Returns when a commit is durable.
    func awaitFlush(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        try demandLog().awaitDurable(commit, since: start)
    }

    /// The newest commit that there is, of whatever process.
    func newestCommit() throws(BullaError) -> UInt64 {
        try demandLog().newestCommit()
    }

    /// The newest commit that is known to be durable.
    func durableCommit() throws(BullaError) -> UInt64 {
        try demandLog().shared.durableCommit()
    }

    /// Sees to it that what is published now is durable by then.
    ///
    /// One flush serves all relaxed commits until it comes: a timer for each would cost more than
    /// the commits.
    private func flush(by deadline: DispatchTime) {
        let isFirst = nextFlush.withLock { next in
            guard next.map({ deadline < $0 }) ?? true else { return false }
            next = deadline
            return true
        }
        guard isFirst else { return }
        // Of a store that nobody refers to any more, ``keepPromise()`` makes the flush.
        flushing.asyncAfter(deadline: deadline) { [weak self] in
            guard let self else { return }
            // Given up before it is looked what there is: who publishes later asks anew.
            nextFlush.withLock { if $0 == deadline { $0 = nil } }
            do throws(BullaError) {
                try use { () throws(BullaError) in
                    try awaitFlush(newestCommit())
                    markWhenIdle()
                }
            } catch {
                // Of these the next caller that uses the store is told.
                let isFinal = [.poisoned, .closed, .usedAfterFork].contains(error.code)
                if !isFinal, !board.poison.isKnown { flush(by: .now() + Self.idleTime) }
            }
        }
    }

    /// Makes the flush that was promised for later, of a store whose handle has gone: closing it
    /// would flush too, but gives up when another process holds the lock for too long.
    func keepPromise() {
        guard !gate.isShut, nextFlush.withLock({ $0 != nil }) else { return }
        flushing.async { [self] in
            for _ in 0..<Self.promiseLimit {
                do throws(BullaError) {
                    try use { () throws(BullaError) in try awaitFlush(newestCommit()) }
                    return
                } catch {
                    guard error.code == .notYetDurable || error.code == .busy else { return }
                }
            }
        }
    }

    /// How often the flush of a store that was forgotten is tried; each try waits for the lock's
    /// timeout.
    private static let promiseLimit = 100

    /// Sees to it that how far the log is durable is marked within a second after the last flush.
    private func markWhenIdle() {
        guard !isMarking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        flushing.asyncAfter(deadline: .now() + Self.idleTime) { [weak self] in
            guard let self else { return }
            isMarking.store(false, ordering: .releasing)
            guard sentinel?.isOriginal ?? true, let log else { return }
            let isMarked = try? use { () throws(BullaError) in try log.shared.markIfIdle() }
            // Somebody has flushed meanwhile: what is durable since is to be marked, too.
            if isMarked == false { return markWhenIdle() }
            checkpointWhenIdle(log)
        }
    }

    private static let idleTime = 0.5
}
