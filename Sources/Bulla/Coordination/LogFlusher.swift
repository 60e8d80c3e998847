internal import BullaMemory
internal import Synchronization

/// Makes the log durable: one leader flushes what was announced, for all threads that wait.
final class LogFlusher: Sendable {
    let parts: LogParts
    let board: LogBoard
    let tail: LogTail
    let start: any LogStart
    private let writerLock: WriterLock
    let lock: FlushLock
    let company: FlushCompany
    let marker: LogMarker
    /// A handle that only leaders use: the kernel reports a failed write-back only once per open
    /// file, and a leader must get that report.
    let handle: any FlushHandle
    /// The last commit whose frames may have been written before the handle was opened.
    let formerCommit = Atomic<UInt64>(0)

    init(
        _ parts: LogParts, _ board: LogBoard, _ tail: LogTail, _ start: any LogStart,
        _ writerLock: WriterLock, _ lock: FlushLock, _ marker: LogMarker
    ) throws(BullaError) {
        self.parts = parts
        self.board = board
        self.tail = tail
        self.start = start
        self.writerLock = writerLock
        self.lock = lock
        self.marker = marker
        company = FlushCompany(board.words, writerLock)
        handle = try parts.store.file.openFlushHandle()
    }

    /// Returns when a commit is durable, by this thread's flush or another's.
    ///
    /// - Parameters:
    ///   - commit: one that this process has appended or read.
    ///   - start: when the wait began; the lock is tried at least once, however long ago that was.
    /// - Throws: `notYetDurable` when somebody else held the flush lock for the whole timeout;
    ///   `poisoned`; `io`.
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        let isDurable = try lock.awaitTurns(since: start) { () throws(BullaError) in
            try board.durable().commit >= commit
        } lead: { () throws(BullaError) in
            try lead(upTo: commit)
        }
        guard isDurable else { throw lock.notYetDurable(commit) }
    }

    /// Makes an earlier commit durable, without waiting for other writers.
    ///
    /// The caller holds the writer lock, and has not appended its own commit yet.
    ///
    /// - Throws: `busy` if somebody else held the flush lock for the whole timeout.
    func flushAlways(upTo commit: UInt64) throws(BullaError) {
        invariant(writerLock.isHeldHere, "only a writer flushes without company")
        try alone { () throws(BullaError) in
            guard try board.durable().commit < commit else { return }
            try flush(atLeast: commit)
        }
    }

    /// Runs `body` under the flush lock: a flush, or an append that no other thread may flush yet.
    ///
    /// - Throws: `busy` when somebody else held the lock for the whole timeout; what `body` throws.
    func alone(_ body: () throws(BullaError) -> Void) throws(BullaError) {
        // The holder of the flush lock may be waiting for this writer to commit, so end that wait.
        try lock.hold(to: "flush", whenTaken: { writerLock.endCompany() }, body)
    }

    /// Marks how far the log is durable, if nobody has flushed it for half a second.
    ///
    /// - Returns: `false` if somebody has, or is flushing now; then the caller must ask again.
    func markIfIdle() throws(BullaError) -> Bool {
        guard try marker.isIdle(board.durable()) else { return false }
        return try lock.holdIfFree { () throws(BullaError) in
            try board.raiseDurable()
            let durable = try board.durable()
            try board.poison.spreading { () throws(BullaError) in
                try marker.mark(durable, through: handle)
            }
        }
    }

    /// Writes both marks anew, under the secret in use.
    ///
    /// The caller holds the writer lock.
    func renewMarks() throws(BullaError) {
        invariant(writerLock.isHeldHere, "marks are renewed under the writer's lock")
        try alone { () throws(BullaError) in
            try board.poison.spreading { () throws(BullaError) in
                try marker.renew(through: handle)
            }
        }
    }

    /// Notes the last commit whose frames other processes may have written before this one joined.
    ///
    /// A write-back of those frames may have failed. If the kernel has reported that to another
    /// process, it does not report it to this one.
    ///
    /// Call it in a process that joins others.
    func noteFormerCommits() throws(BullaError) {
        guard !PlantedBug.isPlanted(.formerPagesTrusted) else { return }
        // A frame that the writer lock's holder is still writing counts, too. Look at the lock
        // before the frames: in the other order, the lock's holder could finish that frame and
        // release the lock in between, and the frame would not be counted.
        let isWriting = try parts.store.file.isLocked(LockByte.writer, against: .exclusive)
        try start.refresh(parts.log)
        var follower = try LogFollower(parts.log, parts.keys, at: board.durable().position)
        _ = try follower.follow(to: .max, DroppedCommits())
        invariant(formerCommit.load(ordering: .relaxed) == 0, "a process joins a world once")
        formerCommit.store(
            follower.position.commit + (isWriting ? 1 : 0), ordering: .releasing)
    }
}
