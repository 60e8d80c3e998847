internal import BullaMemory
internal import Synchronization

/// Appends this process's commits, one at a time, under the writer lock.
///
///     step          state if the process dies in it or next
///     catch up      the log as it was
///     announce      the same log; a whole frame that a dead writer has left in it is announced
///     append        the commit, to be announced by the next writer, or a part, to be overwritten
///     announce      the commit
final class LogWriter: Sendable {
    let parts: LogParts
    private let world: Identifier
    let board: LogBoard
    private let tail: LogTail
    let flusher: LogFlusher
    let lock: WriterLock
    private let start: any LogStart
    private let hands = Mutex<[Hand]>([])

    /// An appender and a draft, for one writer at a time.
    final class Hand: @unchecked Sendable {
        // `@unchecked`: only the holder of the writer lock takes a hand out of ``hands``.

        var appender: LogAppender
        var draft: LogDraft
        /// Names of trees, kept while a transaction has the hand.
        var names = ByteArena()
        /// Whether a writer has made a commit with this hand since it took the hand out.
        var hasCommitted = false

        init(_ appender: consuming LogAppender) throws(BullaError) {
            self.appender = appender
            draft = try LogDraft()
        }
    }

    init(
        _ parts: LogParts, _ world: Identifier, _ board: LogBoard, _ tail: LogTail,
        _ flusher: LogFlusher, _ lock: WriterLock, _ start: any LogStart
    ) {
        self.parts = parts
        self.world = world
        self.board = board
        self.tail = tail
        self.flusher = flusher
        self.lock = lock
        self.start = start
    }

    /// Moves to the end of the log, for a commit that builds on all earlier ones.
    ///
    /// The caller holds the writer lock.
    ///
    /// - Returns: what to write with; the caller returns it with ``giveBack(_:)``.
    func begin() throws(BullaError) -> Hand {
        invariant(lock.isHeldByCaller, "a writer has the writer's lock")
        let hand = try takeHand()
        do throws(BullaError) { try catchUp(hand) } catch {
            giveBack(hand)
            throw error
        }
        return hand
    }

    /// Whether the draft has to wait for a checkpoint because neither half has room.
    func needsCheckpoint(_ hand: Hand) throws(BullaError) -> Bool {
        invariant(lock.isHeldHere, "a writer asks for room under the writer's lock")
        hand.appender.keyEpoch = try start.keyEpoch()
        try start.refresh(parts.log)
        return hand.appender.needsCheckpoint(hand.draft, oldest: try start.oldestSequence())
    }

    /// Makes the commits before the draft durable.
    ///
    /// - Throws: `busy` when somebody else held the flush lock for the whole timeout.
    func flush(_ hand: Hand) throws(BullaError) {
        try flusher.flushAlways(upTo: hand.appender.position.commit)
    }

    /// Wipes the draft, and keeps the hand for the next writer.
    func giveBack(_ hand: Hand) {
        hand.draft.removeAll()
        hand.names.wipeKept()
        hand.hasCommitted = false
        hands.withLock { hands in
            invariant(!hands.contains { $0 === hand }, "what a turn worked with is given back once")
            hands.append(hand)
        }
    }

    /// See ``LogTurn/eraseRemains(outside:)``.
    func eraseRemains(
        _ hand: Hand, outside start: LogPosition
    ) throws(BullaError) -> Bool {
        invariant(lock.isHeldHere, "the log's remains are erased under the writer's lock")
        let end = hand.appender.position.place
        guard start.place.sequence == end.sequence, let segment = start.segment else {
            return false
        }
        try flusher.renewMarks()
        try parts.log.erase(outside: LogRange(sequence: end.sequence, bytes: segment..<end.offset))
        return true
    }

    func write(
        _ hand: Hand, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition? {
        invariant(!hand.hasCommitted, "a turn makes one commit")
        // Before the last part is written, do everything that can fail.
        hand.appender.keyEpoch = try start.keyEpoch()
        let (durable, oldest) = (try board.durable().position, try start.oldestSequence())
        guard durable.commit <= hand.appender.position.commit else {
            throw BullaError(
                .corrupted,
                "append to the log after commit \(hand.appender.position.commit): commit "
                    + "\(durable.commit) is durable", commit: durable.commit)
        }
        try board.poison.check()
        do throws(BullaError) {
            let end = try tail.append(
                hand.draft, with: &hand.appender, durable: durable, oldest: oldest, taken: taken)
            hand.hasCommitted = end != nil
            return end
        } catch {
            // No process was told of the commit. Take its frames back before a process finds them.
            try? board.poison.spreading { () throws(BullaError) in try hand.appender.takeBack() }
            throw error
        }
    }

    private func takeHand() throws(BullaError) -> Hand {
        invariant(lock.isHeldByCaller, "a turn begins under the writer's lock")
        if let hand = hands.withLock({ $0.popLast() }) { return hand }
        return try Hand(tail.makeAppender(world: world))
    }

    /// Moves to the end of the log, announces all frames up to there, and then clears up after an
    /// interrupted flush.
    private func catchUp(_ hand: Hand) throws(BullaError) {
        // Ask for the key epoch before reading the log: this makes the process learn of a newer
        // secret, under which others may have appended.
        hand.appender.keyEpoch = try start.keyEpoch()
        let end = try tail.catchUp(announced: board.announced, &hand.appender) {
            () throws(BullaError) in try board.durable().commit
        }
        if board.announced != end.commit { board.announce(end.commit) }
        guard board.wasInterrupted else { return }
        try flusher.flushAlways(upTo: end.commit)
        invariant(lock.isHeldHere, "what was interrupted is forgotten under the writer's lock")
        board.forgetInterrupted()
    }
}
