internal import BullaMemory
internal import Synchronization

/// How far this process has read the log, and verified it; and what takes over what it reads.
///
/// Readers and leaders go as far as was announced, writers as far as there is something.
final class LogTail: Sendable {
    private let parts: LogParts
    private let start: any LogStart
    private let sink: any LogSink & Sendable
    private let follower: Mutex<LogFollower>

    /// - Parameter position: where following begins.
    init(
        _ parts: LogParts, at position: LogPosition, _ start: any LogStart,
        _ sink: any LogSink & Sendable
    ) throws(BullaError) {
        self.parts = parts
        self.start = start
        self.sink = sink
        follower = Mutex(try LogFollower(parts.log, parts.keys, at: position))
    }

    /// Follows up to a commit that must be there, then as far as a hint says.
    ///
    /// - Parameters:
    ///   - commit: one that is durable, or this process's own.
    ///   - hint: what was announced; what is not there is not looked for again.
    ///   - isSteady: whether the caller has the flush lock, under which no checkpoint is named.
    /// - Returns: where the process stands.
    /// - Throws: `corrupted` where the log ends before `commit`, with its place; what the sink
    ///   throws; `io`; `busy` where checkpoints came all the while, and the next one's lock could
    ///   not be had.
    @discardableResult
    func follow(
        atLeast commit: UInt64, hint: UInt64 = 0, isSteady: Bool = false
    ) throws(BullaError) -> LogPosition {
        try steadied(isSteady) { isSteady throws(BullaError) in
            try follower.withLock { follower throws(BullaError) in
                try start.refresh(parts.log)
                if follower.position.commit < commit {
                    let isThere = try follower.reach(
                        commit, sink, isSteady: isSteady, record: record)
                    guard isThere else { return nil }
                }
                invariant(follower.position.commit >= commit, "what must be there was reached")
                if follower.position.commit < hint { _ = try follower.follow(to: hint, sink) }
                return follower.position
            }
        }
    }

    /// Follows to the end, past what was announced, for a writer that has the lock; and puts the
    /// appender there.
    ///
    /// - Parameter durable: the newest commit known to be durable. It is asked for once it is known
    ///   where the halves lie, and again when the end was found: a half that was moved meanwhile
    ///   has nothing in it that tells.
    /// - Returns: where the log ends: the caller announces it.
    func catchUp(
        announced: UInt64, _ appender: inout LogAppender,
        durable: () throws(BullaError) -> UInt64
    ) throws(BullaError) -> LogPosition {
        try steadied { isSteady throws(BullaError) in
            try follower.withLock { follower throws(BullaError) in
                repeat {
                    try start.refresh(parts.log)
                    let isThere = try follower.catchUp(
                        announced: announced, durable: durable(), sink, isSteady: isSteady,
                        record: record)
                    guard isThere else { return nil }
                } while try durable() > follower.position.commit
                if !appender.hasCaughtUp || appender.position != follower.position {
                    appender.move(to: follower)
                }
                invariant(
                    appender.hasCaughtUp && appender.position == follower.position,
                    "a writer begins where its process has followed to")
                return follower.position
            }
        }
    }

    /// Has the sink begin anew, where this process stands at the place in the checkpoint's record:
    /// the trees have all that the sink took.
    ///
    /// - Throws: what the sink throws; then it goes on as it was.
    func beginAnew() throws(BullaError) {
        try follower.withLock { follower throws(BullaError) in
            let record = try start.record()
            guard follower.position.commit == record.commit,
                follower.position.place == record.place
            else { return }
            try sink.begin(at: follower.position)
        }
    }

    /// Reads the log from the checkpoint on, up to a commit that must be there; what it says is
    /// dropped.
    func check(upTo commit: UInt64) throws(BullaError) {
        let position = try start.record()
        try start.refresh(parts.log)
        var follower = try LogFollower(parts.log, parts.keys, at: position)
        try steadied { isSteady throws(BullaError) in
            let isThere = try follower.reach(
                commit, DroppedCommits(), isSteady: isSteady, record: record)
            return isThere ? () : nil
        }
    }

    /// The place in the checkpoint's record.
    private func record() throws(BullaError) -> LogPosition {
        let record = try start.record()
        try start.refresh(parts.log)
        return record
    }

    /// Runs what checkpoints may overtake; if they do, again under the lock on the trees, where
    /// none comes.
    ///
    /// That lock is taken here, where the follower is free: its holders follow, too.
    ///
    /// - Parameter isSteady: whether none comes anyhow.
    /// - Parameter body: `nil` where it was overtaken.
    private func steadied<R>(
        _ isSteady: Bool = false, _ body: (_ isSteady: Bool) throws(BullaError) -> R?
    ) throws(BullaError) -> R {
        if let result = try body(isSteady) { return result }
        let isTaken = try start.lock()
        defer { if isTaken { start.unlock() } }
        guard let result = try body(true) else {
            preconditionFailure("nobody is overtaken where no checkpoint comes")
        }
        return result
    }

    /// Appends a commit, and goes behind it without reading it.
    ///
    /// Others of this process that follow wait meanwhile, so that none of them reads the commit.
    ///
    /// - Parameter taken: called with where the log ends now: the process has the commit's changes.
    /// - Returns: where the log ends now; `nil` where it has no room before a checkpoint.
    /// - Throws: what the appender throws.
    func append(
        _ draft: borrowing LogDraft, with appender: inout LogAppender, durable: LogPosition,
        oldest: UInt64?, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition? {
        try follower.withLock { follower throws(BullaError) in
            try start.refresh(parts.log)
            guard let end = try appender.append(draft, durable: durable, oldest: oldest) else {
                return nil
            }
            invariant(end == appender.position, "a writer stands behind what it has appended")
            follower.pass(end, appender.segment)
            taken(draft, end)
            return end
        }
    }

    /// An appender that begins where this process stands.
    func makeAppender(world: Identifier) throws(BullaError) -> LogAppender {
        try follower.withLock { follower throws(BullaError) in
            try LogAppender(parts.log, parts.keys, world: world, after: follower)
        }
    }
}
