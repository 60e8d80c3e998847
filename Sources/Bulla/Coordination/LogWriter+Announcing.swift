internal import BullaMemory

/// Committing: once a frame is whole, its commit is announced and so becomes visible.
extension LogWriter {
    /// Appends the draft, and announces it; it is durable once a flush has covered it.
    ///
    /// The caller has held the writer lock since ``begin()``.
    ///
    /// - Parameter taken: called once the commit stands, and before another thread of this process
    ///   follows past it: the process does not read its own commit from the log.
    /// - Returns: where the log ends with the commit; `nil` if it has no room before a checkpoint.
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
            invariant(lock.isHeldHere, "a tree is announced under the writer's lock")
            board.announce(end.commit)
        }
    }
}
