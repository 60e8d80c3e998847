internal import BullaMemory
internal import Synchronization

/// Appends this process's commits, one at a time, under the writer lock.
///
///     step          what a death after it leaves
///     catch up      the log as it was
///     announce      the same; a dead writer's whole frame is announced
///     append        the commit, which the next writer announces; or a part, which it overwrites
///     announce      the commit
final class LogWriter: Sendable {
    private let parts: LogParts
    private let world: Identifier
    private let board: LogBoard
    private let tail: LogTail
    private let flusher: LogFlusher
    private let lock: WriterLock
    private let start: any LogStart
    private let hands = Mutex<[Hand]>([])

    /// A writer's appender and draft; one writer uses it at a time.
    final class Hand: @unchecked Sendable {
        // `@unchecked`: only the holder of the writer lock takes it out of ``hands``.

        var appender: LogAppender
        var draft: LogDraft
        /// Names of trees, kept while a transaction has the hand.
        var names = ByteArena()

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

    /// Moves to the end of the log, for a commit over all earlier ones.
    ///
    /// The caller holds the writer lock.
    ///
    /// - Returns: what to write with; the caller gives it back (``giveBack(_:)``).
    func begin() throws(BullaError) -> Hand {
        invariant(lock.isHeldByCaller, "a writer has the writer's lock")
        let hand = try takeHand()
        do throws(BullaError) { try catchUp(hand) } catch {
            giveBack(hand)
            throw error
        }
        return hand
    }

    /// Whether the draft has to wait for a checkpoint because both halves are full.
    func needsCheckpoint(_ hand: Hand) throws(BullaError) -> Bool {
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
        hands.withLock { $0.append(hand) }
    }

    /// Appends the draft, and announces it; it is durable once a flush has covered it.
    ///
    /// The caller has held the writer lock since ``begin()``.
    ///
    /// - Parameter taken: called once the commit stands, and before another thread of this process
    ///   follows past it: the process does not read its own commit from the log.
    /// - Returns: where the log ends with the commit; `nil` if it has no room before a checkpoint.
    /// - Throws: `poisoned`, `full`, `io`. Then there is no commit.
    func append(
        _ hand: Hand, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition? {
        guard let end = try write(hand, taken: taken) else { return nil }
        board.announce(end.commit)
        return end
    }

    /// Commits a tree by a frame that names it, in place of the draft.
    ///
    /// The caller holds the writer lock, and the lock on the trees.
    ///
    ///     step          what a death after it leaves
    ///     append        a whole frame that nobody was told of, which the next writer adopts
    ///     flush         the same, on the disk
    ///     name          a checkpoint, of a commit that nobody was told of
    ///     announce      the commit
    ///
    /// - Parameters:
    ///   - record: the record of the tree, except for where the log continues; its pages are on the
    ///     disk.
    ///   - taken: called once the frame stands, with the record and where the log continues.
    ///   - name: names the tree in the meta slots, under the flush lock.
    /// - Throws: as ``append(_:taken:)``: then there is no commit. `poisoned` if the frame stands
    ///   and could not be named: nobody can commit before recovery has adopted it.
    func appendRoot(
        _ hand: Hand, _ record: CommitRecord, taken: (CommitRecord, LogPosition) -> Void,
        name: (CommitRecord) throws(BullaError) -> Void
    ) throws(BullaError) {
        hand.draft.removeAll()
        try hand.draft.append(record)
        try flusher.alone { () throws(BullaError) in
            var record = record
            let former = hand.appender.position.place.sequence
            let appended = try write(hand) { _, end in
                invariant(
                    record.log.halves == parts.log.halfRuns || end.place.sequence == former,
                    "a half that is moved is not the one that the frame lies in")
                record.log = record.log.moved(to: end)
                taken(record, end)
            }
            guard let end = appended else {
                throw BullaError(
                    .full,
                    "append a root frame to the log after commit "
                        + "\(hand.appender.position.commit): it has no room before a checkpoint",
                    commit: hand.appender.position.commit)
            }
            do throws(BullaError) {
                try flusher.flush(atLeast: end.commit) { () throws(BullaError) in
                    try name(record)
                }
            } catch {
                board.poison.spread()
                try board.poison.check()
                throw error
            }
            board.announce(end.commit)
        }
    }

    /// See ``LogTurn/eraseRemains(outside:)``.
    func eraseRemains(
        _ hand: Hand, outside start: LogPosition
    ) throws(BullaError) -> Bool {
        let end = hand.appender.position.place
        guard start.place.sequence == end.sequence, let segment = start.segment else {
            return false
        }
        try flusher.renewMarks()
        try parts.log.erase(outside: LogRange(sequence: end.sequence, bytes: segment..<end.offset))
        return true
    }

    private func write(
        _ hand: Hand, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition? {
        // All that can fail is asked for before the last part is written.
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
            return try tail.append(
                hand.draft, with: &hand.appender, durable: durable, oldest: oldest, taken: taken)
        } catch {
            // Nobody was told of the commit, and nobody may find it.
            try? board.poison.spreading { () throws(BullaError) in try hand.appender.takeBack() }
            throw error
        }
    }

    private func takeHand() throws(BullaError) -> Hand {
        if let hand = hands.withLock({ $0.popLast() }) { return hand }
        return try Hand(tail.makeAppender(world: world))
    }

    /// Moves to the end of the log, and clears up after an interrupted flush, since every frame
    /// that somebody has written is announced now.
    private func catchUp(_ hand: Hand) throws(BullaError) {
        // First, because others may append under a secret that this process is about to learn of.
        hand.appender.keyEpoch = try start.keyEpoch()
        let end = try tail.catchUp(announced: board.announced, &hand.appender) {
            () throws(BullaError) in try board.durable().commit
        }
        if board.announced != end.commit { board.announce(end.commit) }
        guard board.wasInterrupted else { return }
        try flusher.flushAlways(upTo: end.commit)
        board.forgetInterrupted()
    }
}
