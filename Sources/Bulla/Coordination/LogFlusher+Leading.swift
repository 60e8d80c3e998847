internal import BullaMemory
internal import Synchronization

/// What a leader does: one flush, for all threads and processes that wait for it.
extension LogFlusher {
    /// Flushes the log, unless `commit` is durable already; the caller holds the flush lock.
    func lead(upTo commit: UInt64) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a leader waits for company under the flush lock")
        let durable = try board.durable()
        guard durable.commit < commit else { return }
        try company.wait(durable: durable.commit, former: durable.former) { board.announced }
        // The writers that the leader waited for may have met a failing disk.
        try board.poison.check()
        try flush(atLeast: commit)
    }

    /// Flushes the log as far as commits were announced, and at least up to `commit`.
    ///
    /// The caller holds the flush lock.
    ///
    ///     step      state if the leader dies next
    ///     begin     a flush that the next leader finds interrupted
    ///     flush     the same
    ///     post      the frames are durable, and everybody knows
    ///     end       a completed flush
    ///
    /// - Parameters:
    ///   - commit: what must be covered; it may be durable already.
    ///   - name: writes a meta slot that names the trees of a root frame, if the flush covers one.
    ///     It is called after the frame is durable, and before the durable record is posted, so a
    ///     reader that learns of the frame finds the trees.
    func flush(
        atLeast commit: UInt64, name: () throws(BullaError) -> Void = {}
    ) throws(BullaError) {
        invariant(lock.isHeldByCaller, "a leader has the flush lock")
        try board.raiseDurable()
        let former = try board.durable()
        let isLooking = PlantedBug.isPlanted(.lookedPastAnnounced)
        // Claim only what was verified before the flush began.
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
        // A flush of pages, which takes no flush lock, may have failed meanwhile. What it covered
        // is in doubt for everybody.
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
    /// A plain store's durable record is not authenticated, so it can name any place.
    private func check(_ durable: LogPosition, before end: LogPlace) throws(BullaError) {
        let place = durable.place
        let isSame = place.sequence == end.sequence
        let isBefore = isSame ? place.offset < end.offset : place.sequence < end.sequence
        guard !isBefore || place.offset > parts.log.byteCount(place.sequence) else { return }
        throw BullaError(
            .corrupted,
            "flush the log of \(parts.store.path): commit \(durable.commit) is said to end at byte "
                + "\(place.offset) of half \(place.half) in its use \(place.sequence), where it "
                + "cannot end; close the store everywhere and open it again",
            commit: durable.commit)
    }

    /// Writes again the frames for which this flush cannot vouch.
    ///
    /// They are frames that a leader was flushing when it died, and frames that others wrote before
    /// this process joined. The kernel does not say whether they reached the disk. If it could not
    /// write a page and then dropped it from the page cache, the page's frames are lost. So this
    /// function verifies the frames once more before it writes them.
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
