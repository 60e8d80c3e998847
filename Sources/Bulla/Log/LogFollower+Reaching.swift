/// Reaches commits that are known to exist, even if others reuse the halves meanwhile.
extension LogFollower {
    /// Follows up to a commit that must be there, because it was announced or is known to be
    /// durable.
    ///
    /// A checkpoint may already have merged the follower's next commits into the trees, and the
    /// half where the follower stands may have been reused since then. In that case, the
    /// checkpoint's record names a later place, and the follower begins anew there. If the record
    /// still names the place where the follower began, and no half was moved, the log is damaged.
    ///
    /// - Parameters:
    ///   - sink: its `begin` is called when the follower begins anew.
    ///   - isSteady: whether the caller holds a lock that keeps checkpoints from being completed.
    ///   - record: reads the checkpoint's record, and returns the place in the log that it names.
    /// - Returns: `false` if a checkpoint overtook this call twice: then the caller must call again
    ///   under a lock that keeps checkpoints from being completed.
    /// - Throws: `corrupted`, with the place where the log ends, if that is before the commit; and
    ///   what ``follow(to:_:isWriter:)`` throws.
    package mutating func reach(
        _ commit: UInt64, _ sink: some LogSink, isSteady: Bool,
        record: () throws(BullaError) -> LogPosition
    ) throws(BullaError) -> Bool {
        var ending = try follow(to: commit, sink)
        if ending != .reached, try begin(at: record(), sink) {
            ending = try follow(to: commit, sink)
            if ending != .reached, !isSteady { return false }
        }
        guard ending == .reached else { throw damage(ending, before: commit) }
        return true
    }

    /// Follows to the end, past what was announced; the caller holds the writer lock.
    ///
    /// A whole frame that nobody has announced is a commit all the same: its writer died, or was
    /// told that the write had failed although the frame is whole. The caller announces such a
    /// commit.
    ///
    /// - Parameters:
    ///   - announced: the last announced commit, which is a hint.
    ///   - durable: the commit that the durable record names; the log must reach that commit.
    ///   - isSteady: as in ``reach(_:_:isSteady:record:)``.
    ///   - record: as in ``reach(_:_:isSteady:record:)``.
    /// - Returns: as ``reach(_:_:isSteady:record:)``.
    package mutating func catchUp(
        announced: UInt64, durable: UInt64, _ sink: some LogSink, isSteady: Bool,
        record: () throws(BullaError) -> LogPosition
    ) throws(BullaError) -> Bool {
        let isBlind = PlantedBug.isPlanted(.wholeFrameOverwritten)
        let limit = isBlind ? announced : UInt64.max
        var ending = try follow(to: limit, sink, isWriter: true)
        var isThere: Bool { ending != .overtaken && position.commit >= durable }
        if !isThere, try begin(at: record(), sink) {
            ending = try follow(to: limit, sink, isWriter: true)
            if !isThere, !isSteady { return false }
        }
        guard isThere else { throw damage(ending, before: durable) }
        return true
    }

    /// Begins anew at the place that the record names; `false` if the follower began there already,
    /// and no half has been moved since.
    private mutating func begin(
        at place: LogPosition, _ sink: some LogSink
    ) throws(BullaError) -> Bool {
        guard place != origin || hasMoved else { return false }
        try move(to: place) { () throws(BullaError) in try sink.begin(at: place) }
        return true
    }
}
