internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// The lock for flushing, and the place where threads sleep while they wait for a flush.
///
/// Only one thread in all processes holds the lock at a time.
///
/// The kernel releases the lock when its owner dies. A waiter tries the lock from time to time,
/// because an owner that died wakes nobody.
final class FlushLock: Sendable {
    private let file: any StorageFile
    /// The store's path, for messages.
    private let path: String
    private let words: SharedWords
    let poison: FlushPoison
    /// How long a thread waits for another thread's flush.
    private let timeout: Duration
    private let process = ProcessNumber.current
    /// Keeps threads of this process apart; the file's lock does not, because they share one open
    /// file.
    private let turn = DispatchSemaphore(value: 0)
    /// The thread or task that has the lock; 0 while none of this process has it.
    private let owner = Atomic<UInt64>(0)

    /// How long a dead leader can go unnoticed.
    private static let probeInterval: Duration = .milliseconds(10)

    init(
        _ file: any StorageFile, path: String, _ words: SharedWords, _ poison: FlushPoison,
        timeout: Duration
    ) {
        self.file = file
        self.path = path
        self.words = words
        self.poison = poison
        self.timeout = timeout
        // Dispatch traps when a semaphore is destroyed while its value is less than its initial
        // value. That happens in a forked child if the parent held the semaphore. So this semaphore
        // begins at 0 and is raised.
        turn.signal()
    }

    /// Whether a thread of this process has the lock, for contracts and messages.
    var isHeldHere: Bool { owner.load(ordering: .relaxed) != 0 }

    /// Whether this thread or task has the lock, for contracts.
    var isHeldByCaller: Bool {
        // Only this thread or task stores its own number, so a relaxed load is enough.
        owner.load(ordering: .relaxed) == RunIdentity.current
    }

    // MARK: Waiting

    /// Waits until `isDone` is true, and runs `lead` under the lock if nobody else has the lock.
    ///
    /// - Parameters:
    ///   - start: when the wait began; the lock is tried at least once, however long ago that was.
    ///   - isDone: called before each try of the lock, and after `lead` has run.
    ///   - lead: called under the lock; flushes, unless another thread or process has flushed since
    ///     `isDone` was called.
    /// - Returns: `false` when others held the lock until the timeout.
    /// - Throws: `poisoned`; what the closures throw.
    func awaitTurns(
        since start: ContinuousClock.Instant, isDone: () throws(BullaError) -> Bool,
        lead: () throws(BullaError) -> Void
    ) throws(BullaError) -> Bool {
        while true {
            try poison.check()
            // Read the count of turns before trying the lock, so that any later release, which
            // raises the count, ends the sleep.
            let turns = words.loadAcquire(WorldLayout.flushTurns)
            if try isDone() { return true }
            let hasLed = try holdIfFree(lead)
            if hasLed, try isDone() { return true }
            let left = timeLeft(since: start)
            guard left > .zero else { return false }
            guard !hasLed else { continue }
            words.add(1, WorldLayout.waits)
            sleep(while: turns, atMost: min(left, Self.probeInterval))
        }
    }

    /// Sleeps until somebody releases the lock, but for at most `limit`.
    ///
    /// If a sleeper is killed, the count of waiters stays one too high. That costs each leader a
    /// needless wake.
    ///
    /// - Parameter turns: the count of turns, which each release of the lock raises. The caller
    ///   reads the count first, and then finds out that it has to wait.
    func sleep(while turns: UInt64, atMost limit: Duration) {
        invariant(!isHeldByCaller, "a thread does not wait for its own flush lock")
        words.add(1, WorldLayout.flushWaiting)
        words.wait(while: turns, WorldLayout.flushTurns, atMost: limit)
        words.add(UInt64.max, WorldLayout.flushWaiting)
    }

    private func timeLeft(since start: ContinuousClock.Instant) -> Duration {
        timeout - (ContinuousClock.now - start)
    }

    /// The error for a caller that has waited too long for a commit to become durable.
    func notYetDurable(_ commit: UInt64) -> BullaError {
        BullaError(
            .notYetDurable,
            "make commit \(commit) of \(path) durable: \(holder) holds the flush lock; "
                + "waited \(timeout). The commit stands: do not make it again, wait for it again",
            commit: commit)
    }

    private func busy(_ attempt: String) -> BullaError {
        BullaError(
            .busy, "\(attempt) \(path): \(holder) holds the flush lock; waited \(timeout)")
    }

    /// The holder of the flush lock, if it is known.
    private var holder: String {
        isHeldHere ? "another thread of this process" : LockHolder.flush.name(in: words)
    }
}

/// Holding the lock.
extension FlushLock {
    /// Runs `body` under the lock; `false` if somebody else has it.
    ///
    /// - Throws: `poisoned`; what `body` throws.
    func holdIfFree(_ body: () throws(BullaError) -> Void) throws(BullaError) -> Bool {
        guard try take() else { return false }
        defer { release() }
        try poison.check()
        try body()
        return true
    }

    /// Waits for the lock, and runs `body` under it.
    ///
    /// - Parameters:
    ///   - attempt: what the lock is for, in a message.
    ///   - commit: the commit for which the lock is taken, if that commit has already been made.
    ///   - whenTaken: called each time the lock turns out to be taken.
    /// - Throws: `busy`, or `notYetDurable` if `commit` is given, when somebody else held the lock
    ///   for the whole timeout; `poisoned`; what `body` throws.
    func hold(
        to attempt: String, for commit: UInt64? = nil, whenTaken: () -> Void,
        _ body: () throws(BullaError) -> Void
    ) throws(BullaError) {
        let start = ContinuousClock.now
        while true {
            try poison.check()
            let turns = words.loadAcquire(WorldLayout.flushTurns)
            if try holdIfFree(body) { return }
            whenTaken()
            let left = timeLeft(since: start)
            guard left > .zero else { throw commit.map(notYetDurable) ?? busy(attempt) }
            sleep(while: turns, atMost: min(left, Self.probeInterval))
        }
    }

    /// Takes the lock; `false` if somebody else has it.
    private func take() throws(BullaError) -> Bool {
        invariant(!isHeldByCaller, "the holder of the flush lock does not take it again")
        guard turn.wait(timeout: .now()) == .success else { return false }
        invariant(!isHeldHere, "one thread of a process has the flush lock at a time")
        do throws(BullaError) {
            if try file.lock(LockByte.flush, .exclusive) {
                LockHolder.flush.note(process, in: words)
                owner.store(RunIdentity.current, ordering: .relaxed)
                return true
            }
        } catch {
            turn.signal()
            throw error
        }
        turn.signal()
        return false
    }

    /// Releases the lock, then wakes those that found it taken.
    ///
    /// The order matters: a waiter that was woken before the release would find the lock taken, and
    /// nobody would wake it again.
    private func release() {
        invariant(isHeldByCaller, "the flush lock is given up by its holder")
        owner.store(0, ordering: .relaxed)
        LockHolder.flush.forget(in: words)
        _ = try? file.lock(LockByte.flush, .none)
        turn.signal()
        words.add(1, WorldLayout.flushTurns)
        // A waiter counts itself, then looks at the count of turns. So either this thread sees the
        // waiter, or the waiter sees the new count.
        fullFence()
        if words.loadAcquire(WorldLayout.flushWaiting) != 0 { words.wake(WorldLayout.flushTurns) }
    }
}
