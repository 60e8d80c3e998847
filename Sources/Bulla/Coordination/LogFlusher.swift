internal import BullaMemory
internal import Synchronization

/// Makes the log durable: one leader flushes what was announced, for all threads that wait.
final class LogFlusher: Sendable {
    private let parts: LogParts
    private let board: LogBoard
    private let tail: LogTail
    private let start: any LogStart
    private let writerLock: WriterLock
    private let lock: FlushLock
    private let company: FlushCompany
    private let marker: LogMarker
    /// The leader's own open file: the kernel reports a failed write-back once on each open file.
    private let handle: any FlushHandle
    /// The last commit whose frames may have been written before the handle was opened.
    private let formerCommit = Atomic<UInt64>(0)

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
    ///   - start: when the wait began; the lock is tried once, however long ago that was.
    /// - Throws: `notYetDurable` when somebody else held the flush lock for the whole time;
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

    /// Flushes, unless somebody has done so; the caller holds the flush lock.
    private func lead(upTo commit: UInt64) throws(BullaError) {
        let durable = try board.durable()
        guard durable.commit < commit else { return }
        try company.wait(durable: durable.commit, former: durable.former) { board.announced }
        // The writers that it waited for may have met a failing disk.
        try board.poison.check()
        try flush(atLeast: commit)
    }

    /// Makes a commit durable without waiting for other writers; the caller holds the writer lock.
    ///
    /// - Throws: `busy` when somebody else held the flush lock for the whole timeout; then the
    ///   caller's own commit does not exist.
    func flushAlways(upTo commit: UInt64) throws(BullaError) {
        try alone { () throws(BullaError) in
            guard try board.durable().commit < commit else { return }
            try flush(atLeast: commit)
        }
    }

    /// Runs a flush under the flush lock, or an append that nobody else may flush yet.
    ///
    /// - Throws: `busy` when somebody else held the lock for the whole timeout; what `body` throws.
    func alone(_ body: () throws(BullaError) -> Void) throws(BullaError) {
        // The holder of the lock may be waiting for this very writer.
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
        try alone { () throws(BullaError) in
            try board.poison.spreading { () throws(BullaError) in
                try marker.renew(through: handle)
            }
        }
    }

    /// Notes the commits whose frames others may have written before this process joined.
    ///
    /// A write-back of them may have failed. If the kernel has reported that to somebody, it does
    /// not report it to this process.
    ///
    /// A process that joins others calls this.
    func noteFormerCommits() throws(BullaError) {
        guard !PlantedBug.isPlanted(.formerPagesTrusted) else { return }
        // Asked before the search for frames, because a frame that is not whole yet counts.
        let isWriting = try parts.store.file.isLocked(LockByte.writer, against: .exclusive)
        try start.refresh(parts.log)
        var follower = try LogFollower(parts.log, parts.keys, at: board.durable().position)
        _ = try follower.follow(to: .max, DroppedCommits())
        formerCommit.store(
            follower.position.commit + (isWriting ? 1 : 0), ordering: .releasing)
    }
}

/// What a leader does.
extension LogFlusher {
    /// Flushes what was announced, and at least up to a commit.
    ///
    /// The caller holds the flush lock.
    ///
    ///     step      what a death after it leaves
    ///     begin     a flush that the next leader finds interrupted
    ///     flush     the same
    ///     post      the frames are durable, and everybody knows
    ///     end       a flush that was done
    ///
    /// - Parameters:
    ///   - commit: what must be covered; it may be durable already.
    ///   - name: names the tree of a covered root frame. It is called once the frame is durable,
    ///     and before the durable record is posted, so a reader that learns of the frame finds the
    ///     tree.
    func flush(
        atLeast commit: UInt64, name: () throws(BullaError) -> Void = {}
    ) throws(BullaError) {
        invariant(lock.isHeldHere, "a leader has the flush lock")
        try board.raiseDurable()
        let former = try board.durable()
        let isLooking = PlantedBug.isPlanted(.lookedPastAnnounced)
        // Only what was verified before the flush begins is claimed after it.
        let verified = try tail.follow(
            atLeast: max(commit, former.commit), hint: isLooking ? .max : board.announced,
            isSteady: true)
        guard verified.commit > former.commit else { return try name() }
        try check(former.position, before: verified.place)
        try writeInterruptedAgain(from: former.position, to: verified)
        board.beginFlush(verified.commit)
        try board.poison.spreading { () throws(BullaError) in
            try company.measure { () throws(BullaError) in
                try parts.log.flush(
                    from: former.position.place, to: verified.place, through: handle)
            }
        }
        // Another flush may have failed meanwhile, and what it covered is in doubt for everybody.
        try board.poison.check()
        var claimed = verified
        if PlantedBug.isPlanted(.claimedAfterFlush) {
            claimed = try tail.follow(
                atLeast: verified.commit, hint: board.announced, isSteady: true)
        }
        try name()
        let record = DurableRecord(claimed, after: former, keyEpoch: try start.keyEpoch())
        try board.post(record)
        board.endFlush()
        if PlantedBug.isPlanted(.interruptionForgotten) { board.forgetInterrupted() }
        try board.poison.spreading { () throws(BullaError) in
            try marker.markIfDue(record, through: handle)
        }
    }

    /// Refuses to flush from a place that cannot be the end of what was durable.
    ///
    /// A plain store's record is not authenticated, so it can say anything.
    private func check(_ durable: LogPosition, before end: LogPlace) throws(BullaError) {
        let place = durable.place
        let isSame = place.sequence == end.sequence
        let isBefore = isSame ? place.offset < end.offset : place.sequence < end.sequence
        guard !isBefore || place.offset > parts.log.byteCount(place.sequence) else { return }
        throw BullaError(
            .corrupted,
            "flush the log of \(parts.store.path): commit \(durable.commit) is said to end at byte "
                + "\(place.offset) of half \(place.half) in its use \(place.sequence), where it "
                + "cannot; close the store everywhere and open it again", commit: durable.commit)
    }

    /// Writes again the frames that this flush cannot vouch for.
    ///
    /// They are frames whose flush was interrupted by its leader's death, and frames that others
    /// wrote before this process joined. The kernel does not say whether they are clean or lost. So
    /// they are read once more: what the page cache dropped after failing to write it is on no
    /// disk.
    private func writeInterruptedAgain(
        from durable: LogPosition, to verified: LogPosition
    ) throws(BullaError) {
        let isTrusted = PlantedBug.isPlanted(.interruptedFlushTrusted)
        if board.isFlushing, !isTrusted { board.noteInterrupted() }
        guard
            board.wasInterrupted || durable.commit < formerCommit.load(ordering: .acquiring)
        else { return }
        var follower = try LogFollower(parts.log, parts.keys, at: durable)
        try board.poison.spreading { () throws(BullaError) in
            _ = try follower.reach(verified.commit, DroppedCommits(), isSteady: true) { durable }
            guard follower.position.ends(as: verified) else {
                throw follower.damage(.reached, before: verified.commit)
            }
        }
        try parts.log.writeAgain(from: durable.place, to: verified.place)
    }
}
