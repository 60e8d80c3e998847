internal import BullaMemory

/// Recovery of the log: what it says since trees were made, and whether that is all that it must
/// say.
///
/// The chain says what was committed. Marks, metas, and what frames and headers call durable say
/// only how far it has to reach: ending before is damage, ending after is a tail that nobody was
/// told of. A header that names a frame which the chain has not reached obliges to what was durable
/// then, and to nothing else: it may have reached the disk before that frame.
///
/// - Complexity: each byte of the log is looked at a bounded number of times.
package struct LogReplay: ~Copyable {
    /// Stands where the log ends.
    package var follower: LogFollower
    /// The newest commit known to be durable.
    package let durable: UInt64
    /// What may stand in the page cache alone: what lies after that commit, headers and all.
    package let doubtful: [LogRange]
    private let log: LogFile

    package var end: LogPosition { follower.position }

    /// Reads the log to its end.
    ///
    /// - Parameters:
    ///   - start: of the trees that a meta names.
    ///   - mark: the newest one; `nil`, where neither slot verifies, is damage.
    ///   - sink: is given the commits after `start`. What it has is of use only once this call has
    ///     returned.
    /// - Throws: `corrupted` for damage, with its place; `io`; `outOfMemory`.
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

    /// Writes again what may stand in the page cache alone, byte for byte, and flushes it.
    ///
    /// Then the whole log is durable. For an opener that may write and is alone; one that may not
    /// write makes no world, and only reads.
    package func writeAgain(through handle: any FlushHandle) throws(BullaError) {
        guard let first = doubtful.first, let last = doubtful.last else { return }
        for range in doubtful { try log.writeAgain(range) }
        try log.flush(
            from: LogPlace(sequence: first.sequence, offset: first.bytes.lowerBound),
            to: LogPlace(sequence: last.sequence, offset: last.bytes.upperBound), through: handle)
    }
}
