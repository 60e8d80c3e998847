internal import BullaMemory

/// One process's part in a log that several processes append to and follow.
///
/// The log alone says what was committed. The coordination file says only how far to look, and how
/// far the log is durable.
package final class SharedLog: Sendable {
    private let board: LogBoard
    private let tail: LogTail
    private let lock: WriterLock
    private let flusher: LogFlusher
    private let writer: LogWriter
    private let parts: LogParts
    private let start: any LogStart
    private let timeout: Duration
    /// Whether the log's last commits may be only in the kernel's page cache: an opener that cannot
    /// write has read them after a crash, and could not flush them.
    let isUnflushed: Bool

    /// How a process takes part in the log.
    package struct Options: Sendable {
        /// How long to wait for a lock that somebody else holds.
        package var timeout: Duration = .seconds(5)
        /// The clock that decides when a mark is due.
        package var clock: @Sendable () -> ContinuousClock.Instant = { .now }

        package init() {}
    }

    /// This process's locks, for a caller that uses them to write more than the log.
    struct Locks {
        let writer: WriterLock
        let flush: FlushLock
    }

    private init(
        _ parts: LogParts, _ world: World, at position: LogPosition, _ start: any LogStart,
        _ sink: any LogSink & Sendable, _ options: Options, _ locks: Locks?,
        isUnflushed: Bool = false
    ) throws(BullaError) {
        self.isUnflushed = isUnflushed
        self.start = start
        let file = parts.store.file
        self.parts = parts
        timeout = options.timeout
        let poison = locks?.flush.poison ?? FlushPoison(world.words, path: file.path)
        tail = try LogTail(parts, at: position, start, sink)
        let locks =
            locks
            ?? Locks(
                writer: WriterLock(file: file, words: world.words, place: .writer),
                flush: FlushLock(
                    file, path: file.path, world.words, poison, timeout: timeout))
        board = LogBoard(world, parts.store, locks.flush)
        lock = locks.writer
        flusher = try LogFlusher(
            parts, board, tail, start, lock, locks.flush,
            LogMarker(parts.marks(start), locks.flush, options.clock))
        writer = LogWriter(parts, world.identifier, board, tail, flusher, lock, start)
    }

    /// Wipes the keys and buffers of the board; call it when no thread uses the log any more.
    package func end() { board.end() }

    /// Whether a flush has failed, in any process.
    package var isPoisoned: Bool { board.poison.isKnown }

    /// The newest commit that is known to be durable.
    package func durableCommit() throws(BullaError) -> UInt64 { try board.durable().commit }

    /// The verified record that says how far the log is durable.
    func durableRecord() throws(BullaError) -> DurableRecord { try board.durable() }

    /// The number of the durable record, as the board gives it: quick to read, but unverified.
    @inline(__always)
    func durableSequence() throws(BullaError) -> UInt64 { try board.claimed() }

    /// The newest commit that a writer has announced: a hint.
    package var announcedCommit: UInt64 { board.announced }

    /// The smallest sequence number among the halves that a meta slot or the checkpoint's record
    /// names; older halves are free.
    func oldestSequence() throws(BullaError) -> UInt64? { try start.oldestSequence() }

    /// How many bytes the longer half has.
    var longerHalfByteCount: UInt64 { parts.log.longerByteCount }

    /// How many bytes of the log are durable but not yet in the checkpoint's trees.
    package func byteCount() throws(BullaError) -> UInt64 {
        let (start, end) = (try start.record(), try board.durable().position)
        guard start.commit < end.commit else { return 0 }
        let isSame = start.place.sequence == end.place.sequence
        let former = isSame ? 0 : parts.log.byteCount(start.place.sequence)
        return (former &+ end.place.offset).subtractingOrZero(start.place.offset)
    }

    /// How far the log is durable.
    package func durablePosition() throws(BullaError) -> LogPosition {
        try board.durable().position
    }
}

/// Committing.
extension SharedLog {
    /// Makes this thread the only writer in all processes, for a commit that builds on all earlier
    /// ones.
    ///
    /// - Parameter check: called when it is this thread's turn within the process.
    /// - Throws: `busy`; `poisoned`; `corrupted` for a log that ends too early; `io`; what `check`
    ///   throws.
    package func beginCommit(
        inTurn check: () throws(BullaError) -> Void = {}
    ) throws(BullaError) -> LogTurn {
        // Before taking the lock, read what others have committed, to hold the lock for less time.
        try follow()
        try lock.acquire(timeout: timeout) { () throws(BullaError) in
            try check()
            try board.poison.check()
        }
        do throws(BullaError) { return LogTurn(lock, writer, try writer.begin()) } catch {
            lock.release()
            throw error
        }
    }

    /// Returns when a commit is durable, by this thread's flush or another's.
    ///
    /// - Parameter start: when the wait began; a flush is tried at least once, however long ago
    ///   that was.
    /// - Throws: `notYetDurable` when somebody else held the flush lock for the whole time;
    ///   `poisoned`; `io`.
    package func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        try flusher.awaitDurable(commit, since: start)
    }

    /// Marks how far the log is durable, if nobody has flushed it for half a second.
    ///
    /// - Returns: `false` if somebody has, or is flushing now; then the caller must ask again after
    ///   a while.
    @discardableResult
    package func markIfIdle() throws(BullaError) -> Bool { try flusher.markIfIdle() }
}

/// Following.
extension SharedLog {
    /// Reads what is durable, and what was announced.
    ///
    /// - Returns: the newest commit that the sink has.
    /// - Throws: `corrupted` if the log ends before the newest durable commit; `io`; `busy` if a
    ///   checkpoint overtook the reading twice, and somebody else changed the trees for the whole
    ///   timeout; what the sink throws.
    @discardableResult
    package func follow() throws(BullaError) -> UInt64 {
        try tail.follow(atLeast: board.durable().commit, hint: board.announced).commit
    }

    /// Reads up to a commit that is known to be durable.
    ///
    /// - Throws: as ``follow()``.
    package func follow(to durable: UInt64) throws(BullaError) {
        try tail.follow(atLeast: durable)
    }

    /// Empties the sink if the trees have everything that the sink took.
    ///
    /// - Throws: what the sink throws; then the sink stays as it was.
    func beginAnew() throws(BullaError) { try tail.beginAnew() }
}

/// Following what commits have changed.
extension SharedLog {
    /// Makes a ``CommitFollower``, with its own place in the log, for the durable commits after a
    /// given one.
    ///
    /// - Parameter commit: the commit after which reports begin; `nil` for the newest durable one.
    /// - Throws: `invalidArgument` for a commit that is not durable; `io`; `outOfMemory`.
    func makeCommitFollower(since commit: UInt64?) throws(BullaError) -> CommitFollower {
        try CommitFollower(parts, board, start, since: commit)
    }
}

/// Checking that the log is whole.
extension SharedLog {
    /// Reads the log anew from the checkpoint on, and verifies that it reaches the newest durable
    /// commit.
    ///
    /// - Throws: `corrupted`, with the place, if it does not; `io`; `busy`.
    func check() throws(BullaError) {
        try tail.check(upTo: board.durable().commit)
    }
}

/// Root frames: frames that name new trees.
extension SharedLog {
    /// The record in the last root frame after the durable part of the log, announced or not; `nil`
    /// if there is none.
    ///
    /// The holder of the lock on the trees needs it: as long as no meta slot names the frame's
    /// trees, only the frame shows that their pages are in use.
    func findRoot() throws(BullaError) -> CommitRecord? {
        var follower = try LogFollower(parts.log, parts.keys, at: board.durable().position)
        let found = DroppedCommits(rootsOf: parts.store.header.format)
        _ = try follower.follow(to: .max, found)
        return found.root
    }

    /// Flushes a root frame whose writer died before a meta slot named the new trees.
    ///
    /// - Parameter name: names the trees in a meta slot, under the flush lock.
    func adoptRoot(
        _ commit: UInt64, name: () throws(BullaError) -> Void
    ) throws(BullaError) {
        try flusher.alone { () throws(BullaError) in
            try flusher.flush(atLeast: commit, name: name)
        }
    }
}

/// Taking part.
extension SharedLog {
    /// Begins a world, as the only opener of the file: recovers the log, and makes all of it
    /// durable if the file is writable.
    ///
    /// - Parameters:
    ///   - sink: gets the commits after the newest checkpoint: those that recovery finds, and later
    ///     ones.
    /// - Throws: `corrupted` for a log that ends too early; `io`.
    package static func begin(
        _ parts: LogParts, _ start: any LogStart, _ sink: any LogSink & Sendable,
        _ options: Options = Options()
    ) throws(BullaError) -> SharedLog {
        let world = try World.make(parts.store, try Random.identifier())
        return try begin(parts, in: world, start, sink, options)
    }

    /// Begins a log in a world that the opener has made.
    static func begin(
        _ parts: LogParts, in world: World, _ start: any LogStart,
        _ sink: any LogSink & Sendable, _ options: Options, _ locks: Locks? = nil
    ) throws(BullaError) -> SharedLog {
        let replay = try LogRecovery(
            parts.log, parts.keys, from: start.record(), mark: parts.marks(start).newest(), sink)
        if parts.store.isWritable {
            let handle = try parts.store.file.openFlushHandle()
            try replay.writeAgain(through: handle)
            handle.close()
        }
        let log = try SharedLog(
            parts, world, at: replay.end, start, sink, options, locks,
            isUnflushed: !parts.store.isWritable && replay.end.commit > replay.durable)
        try log.board.begin(DurableRecord(replay.end, keyEpoch: start.keyEpoch()))
        log.board.announce(replay.end.commit)
        return log
    }

    /// Joins the processes that have the file open.
    ///
    /// - Returns: `nil` if nobody has begun a world.
    /// - Throws: `corrupted` if the log does not have the durable commit that the coordination file
    ///   names, if neither mark is intact, or if a mark names a later durable commit than that file
    ///   does (somebody has put an older record back into it); `busy` if a checkpoint overtakes the
    ///   reading and the lock on the trees is held too long; `poisoned`; `io`; what `sink` throws.
    package static func join(
        _ parts: LogParts, _ start: any LogStart, _ sink: any LogSink & Sendable,
        _ options: Options = Options()
    ) throws(BullaError) -> SharedLog? {
        guard let world = try World.find(parts.store) else { return nil }
        return try join(parts, in: world, start, sink, options)
    }

    /// Joins the processes of a world that the opener has found.
    static func join(
        _ parts: LogParts, in world: World, _ start: any LogStart,
        _ sink: any LogSink & Sendable, _ options: Options, _ locks: Locks? = nil
    ) throws(BullaError) -> SharedLog {
        let position = try start.record()
        try start.refresh(parts.log)
        // A checkpoint may have been posted since the sink was made.
        try sink.begin(at: position)
        let log = try SharedLog(parts, world, at: position, start, sink, options, locks)
        try log.board.poison.check()
        // Read the mark before the durable record. A leader posts the record before it writes the
        // mark, so the record cannot be older than the mark, unless somebody put an older record
        // back.
        let mark = try parts.marks(start).newest()
        let durable = try log.board.durable()
        let isMarkIgnored = PlantedBug.isPlanted(.newerMarkIgnored)
        guard let mark, mark.commit <= durable.commit || isMarkIgnored else {
            throw isDamaged(parts, mark.map { $0.commit }) {
                "a mark says that commit \($0) is durable, and the coordination file has commit "
                    + "\(durable.commit)"
            }
        }
        let reached = try log.tail.follow(atLeast: durable.commit)
        let isReached = reached.commit > durable.commit || reached.ends(as: durable.position)
        guard isReached || PlantedBug.isPlanted(.durableTagIgnored) else {
            throw isDamaged(parts, durable.commit) {
                "commit \($0) in the log is not the one that the coordination file names"
            }
        }
        try log.flusher.noteFormerCommits()
        return log
    }

    /// - Parameters:
    ///   - commit: the commit that the message names; `nil` if neither mark verifies.
    ///   - tell: makes the message for that commit.
    private static func isDamaged(
        _ parts: LogParts, _ commit: UInt64?, _ tell: (UInt64) -> String
    ) -> BullaError {
        BullaError(
            .corrupted,
            "join the processes that have \(parts.store.path) open: "
                + (commit.map(tell) ?? "neither mark is what was written")
                + "; close the store everywhere and open it again", commit: commit)
    }
}
