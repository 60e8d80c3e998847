internal import BullaMemory
internal import Synchronization

/// Makes the log durable: one leader flushes what was announced for all that wait.
final class LogFlusher: Sendable {
    private let parts: LogParts
    private let board: LogBoard
    private let tail: LogTail
    private let start: any LogStart
    private let writerLock: WriterLock
    private let lock: FlushLock
    private let company: FlushCompany
    private let marker: LogMarker
    /// The leader's own open file: the kernel tells each of a failed write-back, and only once.
    private let handle: any FlushHandle
    /// The last commit of which frames may have been written before the handle was opened.
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

    /// Flushes, where nobody has done so; under the flush lock.
    private func lead(upTo commit: UInt64) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a leader waits for company under the flush lock")
        let durable = try board.durable()
        guard durable.commit < commit else { return }
        try company.wait(durable: durable.commit, former: durable.former) { board.announced }
        // Those that came along may have met a failing disk.
        try board.poison.check()
        try flush(atLeast: commit)
    }

    /// Makes a commit durable without waiting for company: the caller has the writer's lock.
    ///
    /// - Throws: `busy` when somebody else held the flush lock for the whole timeout: what this
    ///   writer would commit is not there.
    func flushAlways(upTo commit: UInt64) throws(BullaError) {
        invariant(writerLock.isHeldHere, "a writer alone flushes without company")
        try alone { () throws(BullaError) in
            guard try board.durable().commit < commit else { return }
            try flush(atLeast: commit)
        }
    }

    /// Runs what flushes, or appends what nobody may flush yet, under the flush lock.
    ///
    /// - Throws: `busy` when somebody else held the lock for the whole timeout; what `body` throws.
    func alone(_ body: () throws(BullaError) -> Void) throws(BullaError) {
        // The holder of the lock may be waiting for this very writer.
        try lock.hold(to: "flush", whenTaken: { writerLock.endCompany() }, body)
    }

    /// Marks how far the log is durable, where nobody has flushed it for half a second.
    ///
    /// - Returns: `false` where somebody has, or is just flushing: then it is to be asked again.
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

    /// Writes both marks anew, under the secret that is in use.
    ///
    /// To be called by the holder of the writer's lock.
    func renewMarks() throws(BullaError) {
        invariant(writerLock.isHeldHere, "marks are renewed under the writer's lock")
        try alone { () throws(BullaError) in
            try board.poison.spreading { () throws(BullaError) in
                try marker.renew(through: handle)
            }
        }
    }

    /// Notes which commits' frames others may have written before this process came: of a
    /// write-back that failed before, and that somebody was told of, the kernel does not tell it.
    ///
    /// To be called by a process that joins others.
    func noteFormerCommits() throws(BullaError) {
        guard !PlantedBug.isPlanted(.formerPagesTrusted) else { return }
        // Asked before it is looked for frames: one that is not whole yet counts.
        let isWriting = try parts.store.file.isLocked(LockByte.writer, against: .exclusive)
        try start.refresh(parts.log)
        var follower = try LogFollower(parts.log, parts.keys, at: board.durable().position)
        _ = try follower.follow(to: .max, DroppedCommits())
        invariant(formerCommit.load(ordering: .relaxed) == 0, "a process joins a world once")
        formerCommit.store(
            follower.position.commit + (isWriting ? 1 : 0), ordering: .releasing)
    }
}

/// What a leader does.
extension LogFlusher {
    /// Flushes what was announced, and never less than a commit.
    ///
    /// Under the flush lock.
    ///
    ///     step      what a death after it leaves
    ///     begin     a flush that the next leader finds interrupted
    ///     flush     the same
    ///     post      the frames are durable, and everybody knows
    ///     end       a flush that was done
    ///
    /// - Parameters:
    ///   - commit: what must be covered; it may be durable already.
    ///   - name: names a tree, where a root frame is covered: called once that is durable, and
    ///     before it is said how far the log is: a reader that is told of the frame finds the tree.
    func flush(
        atLeast commit: UInt64, name: () throws(BullaError) -> Void = {}
    ) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a leader has the flush lock")
        try board.raiseDurable()
        let former = try board.durable()
        let isLooking = PlantedBug.isPlanted(.lookedPastAnnounced)
        // Only what was verified before the flush begins is claimed after it.
        let verified = try tail.follow(
            atLeast: max(commit, former.commit), hint: isLooking ? .max : board.announced,
            isSteady: true)
        invariant(verified.commit >= commit, "a leader has read what it is to flush")
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
        // Another flush may have failed meanwhile: what it was told of is in doubt for all.
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
    /// A plain store's record is not authenticated.
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

    /// Writes again what this flush cannot vouch for: frames that a flush has covered whose leader
    /// died, or that others wrote before this process came.
    ///
    /// Whether they are clean or lost, the kernel does not say. They are read once more: what the
    /// page cache has dropped since it failed to write it is on no disk.
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
