internal import BullaMemory

/// Committing: when a frame is whole, its writer announces the commit and so makes it visible.
extension LogWriter {
    /// Appends the draft, and announces the commit, which becomes durable in a later flush.
    ///
    /// The caller has held the writer lock since ``begin()``.
    ///
    /// - Parameter taken: gets the draft once the commit is appended, because this process does not
    ///   read its own commit from the log. Until `taken` returns, no thread of this process follows
    ///   past the commit.
    /// - Returns: where the log ends with the commit; `nil` if only a checkpoint can make room.
    /// - Throws: `poisoned`, `corrupted`, `full`, `io`. Then there is no commit.
    func append(
        _ hand: Hand, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition? {
        invariant(lock.isHeldHere, "a commit is appended under the writer's lock")
        guard let end = try write(hand, taken: taken) else { return nil }
        invariant(lock.isHeldHere, "a commit is announced under the writer's lock")
        board.announce(end.commit)
        return end
    }

    /// Commits new trees by a root frame, which names them; the frame takes the place of the draft.
    ///
    /// The caller holds the writer lock, and the lock on the trees.
    ///
    ///     step          state if the process dies next
    ///     append        a whole frame that nobody was told of, which the next writer adopts
    ///     flush         the same, on the disk
    ///     name          a checkpoint of a commit that nobody was told of
    ///     announce      the commit
    ///
    /// - Parameters:
    ///   - record: the record of the trees, complete except for where the log continues; the pages
    ///     that it names are on the disk.
    ///   - taken: called once the frame is appended, with the record and with the place where the
    ///     log continues.
    ///   - name: names the trees in the meta slots, under the flush lock.
    /// - Throws: as ``append(_:taken:)``: then there is no commit. Also `poisoned` if the frame was
    ///   appended, but no meta slot could name the trees; then nobody can commit before recovery
    ///   has adopted the frame.
    func appendRoot(
        _ hand: Hand, _ record: CommitRecord, taken: (CommitRecord, LogPosition) -> Void,
        name: (CommitRecord) throws(BullaError) -> Void
    ) throws(BullaError) {
        invariant(lock.isHeldHere, "a tree is committed under the writer's lock")
        invariant(
            record.commit == hand.appender.position.commit + 1,
            "a root frame is the commit that its record names")
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
                        + "\(hand.appender.position.commit): only a checkpoint can make room",
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
            invariant(lock.isHeldHere, "a tree is announced under the writer's lock")
            board.announce(end.commit)
        }
    }
}
