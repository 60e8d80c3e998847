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
    /// - Returns: where the process stands.
    /// - Throws: `corrupted` where the log ends before `commit`, with its place; what the sink
    ///   throws; `io`.
    @discardableResult
    func follow(atLeast commit: UInt64, hint: UInt64 = 0) throws(BullaError) -> LogPosition {
        try follower.withLock { follower throws(BullaError) in
            try start.refresh(parts.log)
            if follower.position.commit < commit {
                try withRecord { record throws(BullaError) in
                    try follower.reach(commit, sink, record: record)
                }
            }
            if follower.position.commit < hint { _ = try follower.follow(to: hint, sink) }
            return follower.position
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
        try follower.withLock { follower throws(BullaError) in
            repeat {
                try start.refresh(parts.log)
                try withRecord { record throws(BullaError) in
                    try follower.catchUp(
                        announced: announced, durable: durable(), sink, record: record)
                }
            } while try durable() > follower.position.commit
            if !appender.hasCaughtUp || appender.position != follower.position {
                appender.move(to: follower)
            }
            return follower.position
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
        try withRecord { record throws(BullaError) in
            try follower.reach(commit, DroppedCommits(), record: record)
        }
    }

    /// Lends the place in the checkpoint's record, which is asked for under the tree lock where it
    /// must not move.
    private func withRecord(
        _ body: ((Bool) throws(BullaError) -> LogPosition) throws(BullaError) -> Void
    ) throws(BullaError) {
        var isHeld = false
        defer { if isHeld { start.unlock() } }
        try body { isLocked throws(BullaError) in
            if isLocked, !isHeld { isHeld = try start.lock() }
            let record = try start.record()
            try start.refresh(parts.log)
            return record
        }
    }

    /// Appends a commit, and goes behind it without reading it.
    ///
    /// Others of this process that follow wait meanwhile, so that none of them reads the commit.
    ///
    /// - Parameter taken: called with where the log ends now: the process has the commit's changes.
    /// - Throws: what the appender throws.
    func append(
        _ draft: borrowing LogDraft, with appender: inout LogAppender, durable: LogPosition,
        oldest: UInt64?, taken: (borrowing LogDraft, LogPosition) -> Void
    ) throws(BullaError) -> LogPosition {
        try follower.withLock { follower throws(BullaError) in
            try start.refresh(parts.log)
            let end = try appender.append(draft, durable: durable, oldest: oldest)
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
