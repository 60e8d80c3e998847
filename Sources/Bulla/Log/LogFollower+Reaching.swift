/// Reaching what is known to be there, though others use halves anew meanwhile.
extension LogFollower {
    /// Follows up to a commit that must be there: it was announced, or is known to be durable.
    ///
    /// A half where the follower stands may have been used anew, with what it was about to read
    /// merged into the trees. Then the checkpoint's record has moved, and following begins where it
    /// says now. Where it has not moved, the log is damaged.
    ///
    /// - Parameters:
    ///   - sink: its `begin` says that all begins anew.
    ///   - record: the place in the checkpoint's record. Told to, the caller takes the tree lock
    ///     first and keeps it until this call ends: then no half is used anew.
    /// - Throws: `corrupted` where the log ends before the commit, with the place; and what
    ///   ``follow(to:_:)`` throws.
    package mutating func reach(
        _ commit: UInt64, _ sink: some LogSink,
        record: (_ isLocked: Bool) throws(BullaError) -> LogPosition
    ) throws(BullaError) {
        var ending = try follow(to: commit, sink)
        for isLocked in [false, true] where ending != .reached {
            guard try begin(at: record(isLocked), sink) else { break }
            ending = try follow(to: commit, sink)
        }
        guard ending == .reached else { throw damage(ending, before: commit) }
    }

    /// Follows to the end, past what was announced, as the holder of the writer's lock does.
    ///
    /// A whole frame that nobody announced is a commit: its writer has died, or was told that the
    /// write had failed. The caller announces it.
    ///
    /// - Parameters:
    ///   - announced: a hint.
    ///   - durable: what the durable record says, which the log must reach.
    ///   - record: as in ``reach(_:_:record:)``.
    package mutating func catchUp(
        announced: UInt64, durable: UInt64, _ sink: some LogSink,
        record: (_ isLocked: Bool) throws(BullaError) -> LogPosition
    ) throws(BullaError) {
        let isBlind = PlantedBug.isPlanted(.wholeFrameOverwritten)
        let limit = isBlind ? announced : UInt64.max
        var ending = try follow(to: limit, sink, isWriter: true)
        for isLocked in [false, true] where ending == .overtaken || position.commit < durable {
            guard try begin(at: record(isLocked), sink) else { break }
            ending = try follow(to: limit, sink, isWriter: true)
        }
        guard ending != .overtaken, position.commit >= durable else {
            throw damage(ending, before: durable)
        }
    }

    /// Begins anew where the record says; `false` where it says what it said before.
    private mutating func begin(
        at place: LogPosition, _ sink: some LogSink
    ) throws(BullaError) -> Bool {
        guard place != origin || hasMoved else { return false }
        try move(to: place)
        try sink.begin(at: place)
        return true
    }

    /// The log ends here, and must not.
    func damage(_ ending: LogEnding, before commit: UInt64) -> BullaError {
        let found =
            switch ending {
            case .end(let absence): absence.rawValue
            case .overtaken: "the half is in use anew"
            case .reached: "it is another commit than was said"
            }
        let place = position.place
        return BullaError(
            .corrupted,
            "read the log up to commit \(commit): it ends after commit \(position.commit), at byte "
                + "\(place.offset) of half \(place.half) in its use \(place.sequence): \(found)",
            commit: position.commit)
    }
}
