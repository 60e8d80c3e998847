internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Leaves the pool, frees what dead workers have claimed, and answers rounds even while no thread
/// of this process claims a frame.
extension PoolMember {
    /// Clears the lines of dead workers that have not answered round `current`, unless another
    /// thread is already doing so.
    func reap(before current: UInt64) {
        _ = reaping.withLockIfAvailable { _ in
            for other in 0..<lineCount where other != worker { clear(other, before: current) }
        }
    }

    private func clear(_ other: Int, before current: UInt64) {
        guard words.loadAcquire(PoolLayout.isUsed(of: other)) != 0,
            words.loadAcquire(PoolLayout.answer(of: other)) < current,
            (try? file.lock(PoolLayout.byte(of: other))) ?? false
        else { return }
        Self.clear(other, words, frames)
        file.unlock(PoolLayout.byte(of: other))
    }

    /// Frees what a dead or leaving worker has claimed, and then the worker's line; the caller
    /// holds the worker's lock.
    static func clear(_ worker: Int, _ words: SharedWords, _ frames: FrameHomes) {
        for index in 0..<PoolLayout.claimLimit {
            let offset = PoolLayout.claim(index, of: worker)
            let claim = words.loadAcquire(offset)
            if claim > 0, claim <= UInt64(frames.frameCount) {
                let frame = PoolLayout.framesOffset + (Int(claim) - 1) * frames.frameByteCount
                _ = words.exchange(PoolWord.claimed(by: worker), for: PoolWord.free, frame)
            }
            words.storeRelaxed(0, offset)
        }
        words.storeFenced(0, PoolLayout.isUsed(of: worker))
    }

    /// Starts the thread that answers rounds even while no thread of this process claims a frame.
    func startAnswering() throws(BullaError) {
        hasThread.store(true, ordering: .relaxed)
        let isRunning = BackgroundThread.begin(givesWay: false) { [self] in answerUntilLeaving() }
        guard isRunning else {
            hasThread.store(false, ordering: .relaxed)
            throw BullaError(.outOfMemory, "join a page pool: no thread can be started")
        }
    }

    private func answerUntilLeaving() {
        while !isLeaving.load(ordering: .acquiring) {
            let seen = round
            let isDone = answerWaiting()
            words.wait(
                while: seen, PoolLayout.round,
                atMost: isDone ? .seconds(60) : .milliseconds(10))
        }
        hasEnded.signal()
    }

    /// Leaves the pool; the last worker wipes it.
    ///
    /// Call it once, when no thread reads pages. Afterwards this process finds only empty frames.
    func leave(timeout: Duration) {
        guard sentinel?.isOriginal ?? true,
            !isLeaving.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        if hasThread.load(ordering: .relaxed) {
            while hasEnded.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
                words.wake(PoolLayout.round)
            }
        }
        do throws(BullaError) {
            if try PoolDoor(file).pass(timeout: timeout) {
                Self.clear(worker, words, frames)
                file.unlock(PoolLayout.byte(of: worker))
                if try !file.isLocked(PoolLayout.workerBytes) { try file.clear() }
            }
        } catch {
            // If no worker is left, the next one to join notices that, and wipes the pool.
        }
        region.detach()
        file.close()
    }
}
