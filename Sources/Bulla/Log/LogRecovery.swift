internal import BullaMemory

/// Recovers the log: reads what was committed since the trees were made, and checks that nothing is
/// missing.
///
/// The chain of frames says what was committed. How far the chain must reach follows from marks,
/// from meta slots, and from what frames and headers call durable. A chain that ends before that
/// point is damaged. The part of a chain beyond that point is a tail: no process was told that it
/// is durable. A header may name a frame that the chain does not contain, because the header may
/// have reached the disk before that frame. Then the chain need only reach what was durable when
/// the header was written.
///
/// - Complexity: reads each byte of the log a bounded number of times.
package struct LogRecovery: ~Copyable {
    /// The follower, which stands at the end of the log.
    package var follower: LogFollower
    /// The newest commit known to be durable.
    package let durable: UInt64
    /// What may be only in the page cache: all that lies after commit ``durable``, headers
    /// included.
    package let doubtful: [LogRange]
    private let log: LogFile

    package var end: LogPosition { follower.position }

    /// Reads the log to its end.
    ///
    /// - Parameters:
    ///   - start: where replay begins; replay applies the log to the trees that a meta slot names.
    ///   - mark: the newest mark; `nil` if neither mark slot verifies, which counts as damage.
    ///   - sink: gets the commits after `start`. Its content is valid only once this call has
    ///     returned.
    /// - Throws: `corrupted` for damage, with the place of the damage; `io`; `outOfMemory`.
    package init(
        _ log: LogFile, _ keys: LogKeys, from start: LogPosition, mark: LogPosition?,
        _ sink: some LogSink
    ) throws(BullaError) {
        guard let mark else {
            throw BullaError(
                .corrupted,
                "recover the log after commit \(start.commit): neither mark is what was written",
                commit: start.commit)
        }
        let record = ReplayRecord(sink, from: start, mark: mark)
        var follower = try LogFollower(log, keys, at: start)
        let ending = try follower.follow(to: .max, record)
        let unreached = try UnreachedHalf(log, keys, after: follower.position).durable()
        let known = max(mark.commit, follower.durable, unreached)
        if !PlantedBug.isPlanted(.logEndUnreported) {
            let isWhole = follower.position.commit >= known && ending != .overtaken
            guard isWhole, record.hasMark else {
                throw follower.damage(isWhole ? .reached : ending, before: known)
            }
        }
        let last = min(known, follower.position.commit)
        invariant(last >= start.commit, "a checkpoint was durable before it was named")
        durable = last
        doubtful = record.ranges(after: durable, to: follower.position.place)
        self.log = log
        self.follower = follower
    }

    /// Writes again, byte for byte, what may be only in the page cache, and flushes it.
    ///
    /// After that, the whole log is durable. Only an opener that is alone and allowed to write
    /// calls this; an opener that is not allowed to write leaves the log as it is.
    package func writeAgain(through handle: any FlushHandle) throws(BullaError) {
        guard let first = doubtful.first, let last = doubtful.last else { return }
        for range in doubtful { try log.writeAgain(range) }
        try log.flush(
            from: LogPlace(sequence: first.sequence, offset: first.bytes.lowerBound),
            to: LogPlace(sequence: last.sequence, offset: last.bytes.upperBound), through: handle)
    }
}
