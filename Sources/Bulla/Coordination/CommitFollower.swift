internal import BullaMemory

/// The next item for a caller that follows the changes of each commit.
enum FollowedCommit: Sendable {
    case changes(commit: UInt64, CommitContent)
    /// The changes of the commits after `after`, up to and including `upTo`, can no longer be read.
    case gap(after: UInt64, upTo: UInt64)
}

/// Follows the durable part of the log, commit by commit.
///
/// It keeps its own place in the log, apart from that of ``LogTail``. If a half is reused before
/// the follower has read it, the follower reports a gap, and continues at the place that the
/// checkpoint's record names.
struct CommitFollower: ~Copyable, Sendable {
    private let parts: LogParts
    private let board: LogBoard
    private let start: any LogStart
    private let collector: CommitCollector
    private var follower: LogFollower
    /// The place in the log of the checkpoint that was the newest at the start, as long as this
    /// follower has to read up to it; otherwise `nil`.
    private var checkpoint: LogPosition?
    /// The last commit that was reported, either with its changes or as the end of a gap.
    private(set) var told: UInt64

    /// - Parameter commit: the commit after which reports begin; `nil` for the newest durable one.
    /// - Throws: `invalidArgument` for a commit that is not durable; `io`; `outOfMemory`.
    init(
        _ parts: LogParts, _ board: LogBoard, _ start: any LogStart, since commit: UInt64?
    ) throws(BullaError) {
        let durable = try board.durable().position
        // Refresh the halves after reading both records, so that the known lengths of the halves
        // cover the positions that the two records name.
        let record = try start.record()
        try start.refresh(parts.log)
        let newest = durable.commit < record.commit ? record : durable
        let told = commit ?? newest.commit
        guard told <= newest.commit else {
            throw BullaError(
                .invalidArgument,
                "follow \(parts.store.path) from commit \(told) on: the newest that is durable is "
                    + "\(newest.commit)", commit: told)
        }
        if told == newest.commit {
            follower = try LogFollower(parts.log, parts.keys, at: newest)
            checkpoint = nil
        } else {
            let remains = LogRemains(parts, before: record)
            let first = told < record.commit ? try remains.beginning(notAfter: told) : nil
            follower = try LogFollower(
                parts.log, parts.keys, at: first ?? record, isSkipping: first != nil)
            checkpoint = first.map { _ in record }
        }
        (self.parts, self.board, self.start, self.told) = (parts, board, start, told)
        collector = CommitCollector(parts.store.header.format)
    }

    /// The newest commit that is known to be durable.
    ///
    /// A commit that is in the trees is durable, even if the durable record does not say so yet.
    func newest() throws(BullaError) -> UInt64 {
        max(try board.durable().commit, try start.record().commit)
    }

    /// Reads the next commit that is durable.
    ///
    /// - Returns: `nil` if all durable commits were reported.
    /// - Throws: `corrupted`, with the place, if the log ends before the newest durable commit;
    ///   `io`; `outOfMemory`. Calling again tries again.
    mutating func next() throws(BullaError) -> FollowedCommit? {
        let newest = try newest()
        while told < newest {
            if follower.origin.commit > told { return gap(upTo: follower.origin.commit) }
            let commit = follower.position.commit
            guard commit > told else {
                try read(before: newest)
                continue
            }
            try checkDurable()
            // The whole commit was read, so if it is not valid now, it never will be.
            try collector.validate()
            guard !collector.isRoot else { return gap(upTo: commit) }
            invariant(commit > told, "commits are told in their order, and once")
            told = commit
            return .changes(commit: commit, collector.content)
        }
        return nil
    }

    /// Throws if the follower's commit and the durable commit have the same number but are
    /// different commits: the follower's may come from a copy of the store that diverged.
    private func checkDurable() throws(BullaError) {
        let (durable, position) = (try board.durable().position, follower.position)
        guard durable.commit == position.commit, !durable.ends(as: position) else { return }
        throw BullaError(
            .corrupted,
            "follow \(parts.store.path): commit \(position.commit) of its log is not the one that "
                + "is durable", commit: position.commit)
    }

    /// Reads a single commit, to save memory, or finds where reading continues.
    private mutating func read(before newest: UInt64) throws(BullaError) {
        try start.refresh(parts.log)
        // Before the checkpoint, the follower may skip commit numbers (`isSkipping`). From there on
        // it must not, so it begins again at the checkpoint.
        if let checkpoint, checkpoint.tag == follower.position.tag {
            return try goOn(at: checkpoint)
        }
        let ending = try follower.follow(to: follower.position.commit + 1, collector)
        if ending != .reached { try goOn(ending, before: newest) }
    }

    private mutating func gap(upTo commit: UInt64) -> FollowedCommit {
        invariant(commit > told, "a gap leads to a later commit")
        defer { told = commit }
        return .gap(after: told, upTo: commit)
    }

    /// Continues at the place that the checkpoint's record names, because nothing follows at the
    /// follower's place.
    ///
    /// That happens in three cases: the half was reused after the trees took over its changes; the
    /// half was moved; or the last checkpoint changed nothing, so no frame has its number.
    private mutating func goOn(
        _ ending: LogEnding, before commit: UInt64
    ) throws(BullaError) {
        let record = try start.record()
        try start.refresh(parts.log)
        guard record != follower.origin || follower.hasMoved else {
            throw follower.damage(ending, before: commit)
        }
        try goOn(at: record)
    }

    private mutating func goOn(at record: LogPosition) throws(BullaError) {
        let tag = follower.position.tag
        try follower.move(to: record)
        checkpoint = nil
        // If the record's place has the same tag as the follower's former place, no frame lies
        // between the two: the checkpoint adds only its number.
        if record.tag == tag { told = max(told, record.commit) }
    }

    /// Wipes the plaintext of a commit that was read, but given to no caller.
    func wipe() { collector.wipe() }
}
