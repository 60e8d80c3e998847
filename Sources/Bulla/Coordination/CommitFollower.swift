internal import BullaMemory

/// What the log says next to those that want to know what each commit has changed.
enum FollowedCommit: Sendable {
    case changes(commit: UInt64, CommitContent)
    /// What came after one commit, up to another, is not known.
    case gap(after: UInt64, upTo: UInt64)
}

/// Follows what is durable of the log, commit by commit.
///
/// It reads for itself, beside ``LogTail``. A half that is used anew before it was read is a gap:
/// then the checkpoint's record says where reading goes on.
struct CommitFollower: ~Copyable, Sendable {
    private let parts: LogParts
    private let board: LogBoard
    private let start: any LogStart
    private let collector: CommitCollector
    private var follower: LogFollower
    /// The checkpoint that it began before, until it comes there.
    private var checkpoint: LogPosition?
    /// The last commit that was told of, or that a gap reached to.
    private(set) var told: UInt64

    /// - Parameter commit: the one after which telling begins; `nil` for the newest durable one.
    /// - Throws: `invalidArgument` for a commit that is not durable; `io`; `outOfMemory`.
    init(
        _ parts: LogParts, _ board: LogBoard, _ start: any LogStart, since commit: UInt64?
    ) throws(BullaError) {
        let durable = try board.durable().position
        // Asked after it: a half that one of them names is no longer than is known then.
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

    /// The newest commit of which it is known that it is durable.
    ///
    /// What the trees have is durable before it is said that the log is.
    func newest() throws(BullaError) -> UInt64 {
        max(try board.durable().commit, try start.record().commit)
    }

    /// Reads the next commit that is durable.
    ///
    /// - Returns: `nil` where all were told.
    /// - Throws: `corrupted` where the log ends before what is durable, with its place; `io`;
    ///   `outOfMemory`. Calling again tries again.
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
            // One that was read: where it cannot be told, it cannot the next time either.
            try collector.validate()
            guard !collector.isRoot else { return gap(upTo: commit) }
            invariant(commit > told, "commits are told in their order, and once")
            told = commit
            return .changes(commit: commit, collector.content)
        }
        return nil
    }

    /// Refuses another commit than the one that leaders know to be durable under that number: it
    /// may be one of a copy of the store that went its own way.
    private func checkDurable() throws(BullaError) {
        let (durable, position) = (try board.durable().position, follower.position)
        guard durable.commit == position.commit, !durable.ends(as: position) else { return }
        throw BullaError(
            .corrupted,
            "follow \(parts.store.path): commit \(position.commit) of its log is not the one that "
                + "is durable", commit: position.commit)
    }

    /// Reads one commit, so that no more than one is held; or finds where reading goes on.
    private mutating func read(before newest: UInt64) throws(BullaError) {
        try start.refresh(parts.log)
        // From the checkpoint on, commit numbers may not be skipped, so the follower begins anew
        // there.
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

    /// Goes on where the checkpoint's record says, as nothing follows where the follower stands.
    ///
    /// The half was used anew, with what it said taken over into the trees; or it lies elsewhere;
    /// or the last checkpoint has a number that no frame has, and changed nothing.
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
        // Nothing lies between: its number is all that it has of its own.
        if record.tag == tag { told = max(told, record.commit) }
    }

    /// Leaves no plaintext of a commit that nobody was given.
    func wipe() { collector.wipe() }
}
