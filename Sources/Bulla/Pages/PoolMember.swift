internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// A worker's place in a page pool: its line, its lock, and its part in the rounds.
///
/// A retired frame can be used again when every worker has answered a round that began after the
/// frame was retired. A worker may *answer* a round as soon as two conditions hold. First, all
/// operations of its process that were running when the round began have ended. Second, the
/// process's closures hold no frame that was retired before the round.
final class PoolMember: Sendable {
    let words: SharedWords
    let frames: FrameHomes
    let worker: Int
    let region: SharedRegion
    let file: PoolFile
    let sentinel: ForkSentinel?

    /// Locked while this worker answers a round; has room for the names of the frames that closures
    /// hold.
    private let answering: Mutex<AnonymousRegion>
    /// The last round that this worker has answered.
    private let answered: Atomic<UInt64>
    /// The newest round that every worker had answered when this one last looked.
    private let settled = Atomic<UInt64>(0)
    /// How often a frame was wanted while some worker had not answered the newest round.
    private let stallCount = Atomic<UInt64>(0)
    let isLeaving = Atomic(false)
    /// Signalled when the thread that answers has ended, if it was started.
    let hasEnded = DispatchSemaphore(value: 0)
    let hasThread = Atomic(false)

    /// Locked while a thread of this process clears the lines of dead workers; the locks of these
    /// lines exclude only other processes.
    let reaping = Mutex(())
    /// The number of this process's newest retirement; it starts at a random value.
    ///
    /// An earlier process may have used numbers in the same place in the pool. With a random start,
    /// those numbers hardly ever come back.
    private let retirementCount = Atomic(UInt64.random(in: 0..<1 << 54))

    /// How many frames the closures of this process may hold when it answers a round.
    private static let heldLimit = 512

    init(
        _ file: PoolFile, _ region: consuming SharedRegion, worker: Int, pageByteCount: Int
    ) throws(BullaError) {
        words = SharedWords(region.bytes)
        frames = PoolLayout.frames(of: region.bytes, pageByteCount: pageByteCount)
        self.worker = worker
        self.file = file
        self.region = region
        sentinel = ForkSentinel()
        do {
            answering = Mutex(try AnonymousRegion(byteCount: Self.heldLimit * 8))
        } catch { throw BullaError.memory("join a page pool", error) }
        answered = Atomic(words.loadAcquire(PoolLayout.answer(of: worker)))
    }

    func frameWord(_ frame: Int) -> Int { PoolLayout.framesOffset + frame * frames.frameByteCount }

    var round: UInt64 { words.loadAcquire(PoolLayout.round) }

    /// Whether no worker can still be reading a frame that was retired in `round`.
    func isSettled(after round: UInt64) -> Bool {
        settled.load(ordering: .acquiring) > round || lookAround() > round
    }

    /// The last round that every worker has answered.
    private func lookAround() -> UInt64 {
        fullFence()
        var least = round
        for worker in 0..<lineCount where words.loadAcquire(PoolLayout.isUsed(of: worker)) != 0 {
            least = min(least, words.loadAcquire(PoolLayout.answer(of: worker)))
        }
        settled.max(least, ordering: .releasing)
        return least
    }

    var lineCount: Int {
        Int(min(words.loadAcquire(PoolLayout.lineCount), UInt64(PoolLayout.workerLimit)))
    }

    /// Begins a round if every worker has answered the newest one.
    ///
    /// Otherwise, once in several calls, this wakes the workers that have not answered. Less often,
    /// it also reaps those workers if they are dead.
    func askForRound() {
        let current = round
        guard lookAround() < current else {
            if words.exchange(current, for: current &+ 1, PoolLayout.round) { answerIfAsked() }
            return
        }
        let count = stallCount.wrappingAdd(1, ordering: .relaxed).newValue
        if count % Self.wakeInterval == 0 { words.wake(PoolLayout.round) }
        if count % Self.reapInterval == 0 { reap(before: current) }
    }

    private static let wakeInterval: UInt64 = 8
    private static let reapInterval: UInt64 = 64

    /// Answers the round, if one has begun and the answer need not wait for another thread.
    ///
    /// Call this outside any epoch.
    func answerIfAsked() {
        guard round != answered.load(ordering: .relaxed) else { return }
        _ = answering.withLockIfAvailable { held in
            let current = round
            let end = Epoch.begin()
            if Epoch.hasEnded(before: end) { answer(current, held) }
        }
    }

    /// If a round has begun, waits for other threads' operations, and then answers it.
    ///
    /// - Returns: `false` if closures of this process still read too many frames.
    func answerWaiting() -> Bool {
        answering.withLock { held in
            let current = round
            guard current != answered.load(ordering: .relaxed) else { return true }
            Epoch.synchronize()
            return answer(current, held)
        }
    }

    /// - Returns: `false` if closures of this process still read too many frames.
    @discardableResult
    private func answer(_ current: UInt64, _ held: borrowing AnonymousRegion) -> Bool {
        let count = Epoch.heldFrames(of: frames, into: held.bytes)
        guard count <= Self.heldLimit else { return false }
        for index in 0..<count {
            postpone(held.bytes.view.load(UInt64.self, at: index * 8), current)
        }
        fullFence()
        words.storeFenced(current, PoolLayout.answer(of: worker))
        answered.store(current, ordering: .relaxed)
        return true
    }

    /// Treats a held frame, if it was retired, as if it had been retired only now.
    private func postpone(_ name: UInt64, _ current: UInt64) {
        let offset = frameWord(frames.frame(named: name))
        for _ in 0..<Self.tryLimit {
            let word = words.loadAcquire(offset)
            guard PoolWord.isRetiring(word) || PoolWord.round(word) != nil else { return }
            if words.exchange(word, for: PoolWord.retired(in: current), offset) { return }
        }
    }

    /// Retires a published frame, unless another worker is faster.
    func retire(_ frame: Int, _ word: UInt64) {
        let number = retirementCount.wrappingAdd(1, ordering: .relaxed).newValue
        let retiring = PoolWord.retiring(number, by: worker)
        guard words.exchange(word, for: retiring, frameWord(frame)) else { return }
        finishRetiring(frame, retiring)
    }

    /// Ends the retirement of a frame, even if the worker that began it has been killed since.
    ///
    /// Once its retirement has begun, the frame can no longer be found. Only then does this read
    /// the number of the newest round. So a worker that still reads the frame found it before any
    /// round after that one began. The worker answers those rounds only when it no longer reads the
    /// frame, or, if closures hold the frame, after it has postponed the retirement.
    ///
    /// Each retirement puts a different word into the frame. So if a thread comes here too late,
    /// its exchange fails and changes nothing.
    func finishRetiring(_ frame: Int, _ retiring: UInt64) {
        fullFence()
        _ = words.exchange(retiring, for: PoolWord.retired(in: round), frameWord(frame))
    }

    private static let tryLimit = 64
}
