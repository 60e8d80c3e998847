internal import BullaMemory
internal import Synchronization

/// How far this process has read and verified the log, and the sink that takes what it reads.
///
/// Readers and leaders read as far as was announced; writers read to the end of the log.
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

    /// Follows up to a commit that must exist, then as far as a hint says.
    ///
    /// - Parameters:
    ///   - commit: one that is durable, or this process's own.
    ///   - hint: what was announced; the log may end before it.
    ///   - isSteady: whether the caller has the flush lock, so that no checkpoint can be completed.
    /// - Returns: how far the process has read.
    /// - Throws: `corrupted`, with the place, if the log ends before `commit`; what the sink
    ///   throws; `io`; `busy` if a checkpoint overtook this call, and the lock on the trees could
    ///   not be taken.
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

    /// Follows to the end of the log, past what was announced, and moves the appender there; the
    /// caller holds the writer lock.
    ///
    /// - Parameter durable: returns the newest commit known to be durable. It is called after this
    ///   process has read where the halves lie, and again after it has found the end. If a half was
    ///   moved in between, the half itself does not show that, but a durable commit beyond the end
    ///   does.
    /// - Returns: where the log ends; the caller announces it.
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

    /// Empties the sink if this process has read exactly to the position that the checkpoint's
    /// record names, because the trees then have all that the sink took.
    ///
    /// - Throws: what the sink throws; then the sink stays as it was.
    func beginAnew() throws(BullaError) {
        try follower.withLock { follower throws(BullaError) in
            let record = try start.record()
            guard follower.position.commit == record.commit,
                follower.position.place == record.place
            else { return }
            try sink.begin(at: follower.position)
        }
    }

    /// Reads the log from the checkpoint up to a commit that must exist, and drops what it reads.
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

    /// The position in the log that the checkpoint's record names.
    private func record() throws(BullaError) -> LogPosition {
        let record = try start.record()
        try start.refresh(parts.log)
        return record
    }

    /// Runs `body`, which reads the log; if a checkpoint overtakes it, runs it again under the lock
    /// on the trees, which keeps checkpoints out.
    ///
    /// This function does not hold the follower while it waits for that lock, because the lock's
    /// holder may be waiting for the follower.
    ///
    /// - Parameters:
    ///   - isSteady: whether the caller already keeps checkpoints from being completed.
    ///   - body: returns `nil` if a checkpoint overtook it.
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

    /// Appends a commit, and moves past it without reading it.
    ///
    /// Other threads of this process that follow the log wait meanwhile, so none of them reads the
    /// commit.
    ///
    /// - Parameter taken: called once the commit is appended, with the draft, which has the
    ///   commit's changes, and with the new end of the log.
    /// - Returns: where the log ends now; `nil` if only a checkpoint can make room.
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
            invariant(end == appender.position, "a writer stands after what it has appended")
            follower.pass(end, appender.segment)
            taken(draft, end)
            return end
        }
    }

    /// Makes an appender that begins at the place in the log that this process has reached.
    func makeAppender(world: Identifier) throws(BullaError) -> LogAppender {
        try follower.withLock { follower throws(BullaError) in
            try LogAppender(parts.log, parts.keys, world: world, after: follower)
        }
    }
}
