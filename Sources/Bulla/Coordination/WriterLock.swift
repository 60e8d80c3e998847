internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// One of two locks that all processes share: the writer lock, or the lock on the trees.
///
/// The kernel frees the lock when its owner dies.
///
/// A waiter sleeps until the owner wakes it. From time to time it also tries the lock, because an
/// owner that died wakes nobody.
final class WriterLock: Sendable {
    private let file: any StorageFile
    private let words: SharedWords
    private let place: Place
    /// Detects a forked child, in which the lock is the parent's.
    ///
    /// It is `nil` for a log that is used without a store, and if the system had no memory for it.
    private let sentinel: ForkSentinel?
    private let process = ProcessNumber.current
    /// Keeps threads of this process apart; the file's lock does not, because they share one open
    /// file.
    private let turn = DispatchSemaphore(value: 0)
    /// How many threads of this process have the lock or wait for it.
    private let comers = Atomic<Int>(0)
    /// The thread or task that has the lock; 0 while none of this process has it.
    private let owner = Atomic<UInt64>(0)
    /// Whether ``FileWriters`` lists the lock as held; only the lock's owner touches this.
    private let isListed = Atomic(false)

    /// How long a dead owner can go unnoticed.
    private static let probeInterval: Duration = .milliseconds(10)

    /// Which lock it is, and the words through which its owner and its waiters communicate.
    struct Place: Sendable {
        let byte: UInt64
        let turns: Int
        let waiting: Int
        let holder: LockHolder
        /// The word that holds the newest commit's number; the owner updates it before it releases
        /// the lock.
        ///
        /// With this number, the owner sees whether a flush's leader has waited for enough commits.
        /// It is `nil` for the lock on the trees: no leader waits for that lock's owner to commit.
        let newest: Int?
        /// Parts of the message of `busy`: what the waiter wanted to do, and what the lock's owner
        /// is doing.
        let attempt: String
        let deed: String

        /// The writer lock.
        static let writer = Place(
            byte: LockByte.writer, turns: WorldLayout.writerTurns,
            waiting: WorldLayout.writersWaiting, holder: .writer,
            newest: WorldLayout.logAnnounced, attempt: "begin a write to", deed: "is writing")
        /// The lock on the trees.
        static let tree = Place(
            byte: LockByte.tree, turns: WorldLayout.treeTurns, waiting: WorldLayout.treesWaiting,
            holder: .tree, newest: nil, attempt: "change the trees of", deed: "is changing them")
    }

    init(
        file: any StorageFile, words: SharedWords, place: Place, sentinel: ForkSentinel? = nil
    ) {
        self.file = file
        self.words = words
        self.place = place
        self.sentinel = sentinel
        // Dispatch traps when a semaphore is destroyed while its value is less than its initial
        // value. That happens in a forked child if the parent held the semaphore. So this semaphore
        // begins at 0 and is raised.
        turn.signal()
    }

    /// - Parameters:
    ///   - timeout: how long to wait.
    ///   - check: called when it is this thread's turn in the process, before anything is locked.
    /// - Throws: `busy`, which names the holder, if the lock could not be taken within `timeout`;
    ///   `busy` at once if this thread or task has it already, through any handle of the file; what
    ///   `check` throws.
    func acquire(
        timeout: Duration, inTurn check: () throws(BullaError) -> Void
    ) throws(BullaError) {
        try checkTurn()
        comers.add(1, ordering: .relaxed)
        do throws(BullaError) { try acquireInTurn(timeout, check) } catch {
            leave()
            throw error
        }
        invariant(!isHeldHere, "a lock that is taken was nobody's")
        owner.store(RunIdentity.current, ordering: .relaxed)
        isListed.store(FileWriters.begin(file.identity, place.byte), ordering: .relaxed)
    }

    /// Refuses a thread or task that has the lock and would wait for itself.
    ///
    /// - Parameters:
    ///   - attempt: what the caller is about to do with the file; `nil` for taking the lock.
    func checkTurn(_ attempt: String? = nil) throws(BullaError) {
        guard isHeldByCaller else { return }
        throw ownWrite(attempt ?? place.attempt)
    }

    /// Whether this thread or task has the lock.
    var isHeldByCaller: Bool {
        // Only this thread or task stores its own number, so a relaxed load is enough.
        owner.load(ordering: .relaxed) == RunIdentity.current
    }

    /// Whether a thread or task of this process has the lock.
    var isHeldHere: Bool { owner.load(ordering: .relaxed) != 0 }

    private func ownWrite(_ attempt: String) -> BullaError {
        BullaError(
            .busy,
            "\(attempt) \(file.path): this thread or task is in a write transaction of it, and "
                + "would wait for itself; end that one first, or make the change in it")
    }

    private func acquireInTurn(
        _ timeout: Duration, _ check: () throws(BullaError) -> Void
    ) throws(BullaError) {
        let start = ContinuousClock.now
        guard turn.wait(timeout: .now() + timeout.inSeconds) == .success else {
            throw busy("another thread of this process", timeout)
        }
        do throws(BullaError) {
            try check()
            try acquireFromProcesses(timeout, since: start)
        } catch {
            turn.signal()
            throw error
        }
    }

    /// Waits until no thread of this process writes, and lets none of them write until
    /// ``resume()``.
    func stop(timeout: Duration) throws(BullaError) {
        try checkTurn("close")
        guard turn.wait(timeout: .now() + timeout.inSeconds) == .success else {
            throw BullaError(
                .busy, "close \(file.path): a write transaction is open; waited \(timeout)")
        }
        invariant(!isHeldHere, "nobody writes once writers are stopped")
    }

    func resume() {
        invariant(!isHeldHere, "nobody writes before writers may go on")
        turn.signal()
    }

    private func acquireFromProcesses(
        _ timeout: Duration, since start: ContinuousClock.Instant
    ) throws(BullaError) {
        if try take() { return }
        if FileWriters.isWritingHere(file.identity, place.byte) {
            throw ownWrite(place.attempt)
        }
        words.add(1, place.waiting)
        defer { words.add(UInt64.max, place.waiting) }
        while true {
            let turns = words.loadAcquire(place.turns)
            if try take() { return }
            let left = timeout - (ContinuousClock.now - start)
            guard left > .zero else {
                let isHere = FileWriters.isWriting(file.identity, place.byte)
                let holder =
                    isHere ? "another handle of this process" : place.holder.name(in: words)
                throw busy(holder, timeout)
            }
            words.wait(while: turns, place.turns, atMost: min(left, Self.probeInterval))
        }
    }

    private func take() throws(BullaError) -> Bool {
        guard try file.lock(place.byte, .exclusive) else { return false }
        place.holder.note(process, in: words)
        return true
    }

    private func busy(_ who: String, _ timeout: Duration) -> BullaError {
        BullaError(
            .busy,
            "\(place.attempt) \(file.path): \(who) \(place.deed); waited \(timeout)")
    }

    /// Releases the lock, except in a forked child, where it is the parent's.
    func release() {
        guard sentinel?.isOriginal ?? true else { return }
        invariant(isHeldHere, "a lock is given up by its holder, and once")
        owner.store(0, ordering: .relaxed)
        if isListed.exchange(false, ordering: .relaxed) {
            FileWriters.end(file.identity, place.byte)
        }
        place.holder.forget(in: words)
        // Releasing a held lock fails only for a closed file, and then there is no lock.
        _ = try? file.lock(place.byte, .none)
        words.add(1, place.turns)
        // A waiter counts itself, then looks at the count of turns. So either this thread sees the
        // waiter, or the waiter sees the new count.
        fullFence()
        // A process that died while it waited is counted for ever, but cannot be woken. So the lock
        // is passed on only if the wake reached somebody.
        let isPassedOn =
            words.loadAcquire(place.waiting) != 0
            && words.wake(place.turns, count: 1) > 0
        leave(isPassedOn: isPassedOn)
        turn.signal()
    }

    /// Takes a thread out of `comers`, and ends the wait of a flush's leader if nobody else wants
    /// to write, or if enough writers have committed.
    private func leave(isPassedOn: Bool = false) {
        let left = comers.subtract(1, ordering: .acquiringAndReleasing).newValue
        invariant(left >= 0, "a thread that is counted out was counted in")
        guard let word = place.newest else { return }
        // A leader says that it waits, and only then looks for commits and writers. So if it has
        // noticed neither this thread's commit nor its departure, this thread now sees that the
        // leader waits.
        fullFence()
        let newest = words.loadAcquire(word)
        let isLast = left == 0 && !isPassedOn
        endCompany { awaited in isLast || newest >= awaited }
    }

    /// Wakes the leader of a flush if it waits for other writers, and `isEnough` returns `true`.
    func endCompany(where isEnough: (_ awaited: UInt64) -> Bool = { _ in true }) {
        let awaited = words.loadAcquire(WorldLayout.companyAwaited)
        guard awaited != 0, isEnough(awaited) else { return }
        // This fails if the next leader has already said which commit it waits for.
        guard words.exchange(awaited, for: 0, WorldLayout.companyAwaited) else { return }
        words.wake(WorldLayout.companyAwaited)
    }

    /// Whether anybody, in any process, waits for the lock that the caller has.
    ///
    /// A process that died while it waited is counted for ever.
    var isAwaited: Bool {
        comers.load(ordering: .relaxed) > 1 || words.loadAcquire(place.waiting) != 0
    }

    /// The number of the process that holds the lock; `nil` if none does, or if that is not known.
    ///
    /// A holder that died leaves its number behind, but not the lock.
    var holdingProcess: UInt64? {
        let isHeldHere = owner.load(ordering: .relaxed) != 0
        let isHeld = isHeldHere || (try? file.isLocked(place.byte, against: .exclusive)) ?? false
        return isHeld ? place.holder.process(in: words) : nil
    }

    /// Whether anybody, in any process, writes or waits to write.
    var isWanted: Bool {
        if comers.load(ordering: .relaxed) > 0 { return true }
        // If the kernel does not say whether the lock is held, a leader does not wait for a writer.
        return (try? file.isLocked(place.byte, against: .exclusive)) ?? false
    }
}
