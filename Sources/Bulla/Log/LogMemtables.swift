internal import BullaMemory
internal import Synchronization

/// What a process has read of the log, and committed to it, indexed: a memtable for each half.
///
///     base tree     older half     newer half
///     ..........|---------------|--------->
///            origin                       newest commit
///
/// They say everything after the commit ``LogView/origin``. What they say may be in the tree
/// already: the tree under them says the same.
///
/// A follower fills them, one commit after the other; and a writer does, with an edit of its own
/// (``edit()``), which it has begun where the follower stands. Those that follow and those that
/// write keep out of each other's way (``LogTail``, ``WriterLock``). Any thread may hold a view.
package final class LogMemtables: Sendable {
    let format: PageFormat
    let log: LogFile
    let state: Mutex<State>
    let rooms = Mutex<[ScratchBuffer]>([])
    /// All that were made, as long as somebody holds one: a snapshot, say.
    private let made: Mutex<[WeakMemory]>

    private struct WeakMemory {
        weak var memory: MemtableMemory?
    }

    struct State {
        var newer: HalfMemtable
        /// `nil` where the trees have what it said, or where there was none.
        var older: HalfMemtable?
        /// Whether a commit of this process could not be indexed.
        var isIncomplete = false
        /// The trees that they begin over, where a frame of the log has named them.
        var root: CommitRecord?
        /// What is said behind a root frame, until it is asked for.
        ///
        /// Before its tree is named, readers stand on the former one.
        var next: Beginning?
    }

    /// What follows a root frame: nothing, over its tree.
    struct Beginning {
        let half: HalfMemtable
        /// The tree, and where the log goes on behind the frame.
        let root: CommitRecord
    }

    /// - Parameters:
    ///   - log: what they are to say.
    ///   - position: where following begins.
    package init(
        _ format: PageFormat, _ log: LogFile, at position: LogPosition
    ) throws(BullaError) {
        self.format = format
        self.log = log
        let memtable = try Self.makeMemtable(log)
        made = Mutex([WeakMemory(memory: memtable.memory)])
        state = Mutex(State(newer: HalfMemtable(after: position, memtable)))
    }

    /// An empty memtable, for whichever half is used next: none grows while it is in use.
    func makeMemtable() throws(BullaError) -> Memtable {
        let memtable = try Self.makeMemtable(log)
        made.withLock { made in
            made.removeAll { $0.memory == nil }
            made.append(WeakMemory(memory: memtable.memory))
        }
        return memtable
    }

    private static func makeMemtable(_ log: LogFile) throws(BullaError) -> Memtable {
        let budget = MemtableBudget(log.longerByteCount)
        do throws(MemtableError) {
            // The operations, and as much again for their index.
            return try Memtable(
                byteLimit: budget.limit, expectedByteCount: 2 * budget.halfByteCount)
        } catch { throw BullaError.memtable("index the log", error) }
    }

    // MARK: Views

    /// What was said up to a commit, to look up and to walk.
    ///
    /// - Parameter commit: `nil` for the newest.
    /// - Returns: `nil` where that was let go: a newer commit is durable, or in the trees.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func hold(at commit: UInt64? = nil) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            let commit = commit ?? state.end
            try state.enterWhole(reaching: commit)
            // All of the older half is there, though the newer one may have let its beginning go.
            guard commit <= state.newer.start, let older = state.older else {
                return try state.hold(state.newer, over: state.older, at: commit)
            }
            return try state.hold(older, over: nil, at: commit)
        }
    }

    /// What was said up to a commit that is durable, or up to a later one that is, where the former
    /// was let go.
    ///
    /// - Returns: `nil` where the process has not come as far, or begins anew.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func holdDurable(_ commit: UInt64) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            try state.enterWhole(reaching: commit)
            guard commit <= state.newer.end else { return nil }
            // What was let go is older than a commit that is durable, or that the trees have.
            if let older = state.older, commit <= state.newer.start {
                return try state.hold(older, over: nil, at: max(commit, older.oldest))
            }
            return try state.hold(
                state.newer, over: state.older, at: max(commit, state.newer.oldest))
        }
    }

    /// All that was said.
    ///
    /// - Returns: `nil` where the process has not come as far as a commit, or begins anew.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func holdNewest(atLeast commit: UInt64) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            try state.enterWhole(reaching: commit)
            guard commit <= state.newer.end else { return nil }
            return try state.hold(state.newer, over: state.older, at: state.newer.end)
        }
    }

    /// The record of the trees that they begin over, where a frame has it, and where the log goes
    /// on behind that; whether the metas name it, the checkpoint's record says.
    var root: CommitRecord? { state.withLock { $0.next?.root ?? $0.root } }

    /// Of the use of the half that is written to.
    var newestSequence: UInt64 { state.withLock { $0.newer.sequence } }

    /// The last commit that it knows of.
    package var newestCommit: UInt64 { state.withLock { $0.end } }

    /// What the trees may take over: all of the older half; or, where it is not durable as a whole
    /// or there is none, what is durable.
    ///
    /// - Parameter durable: how far the log is durable; the process has followed to there.
    /// - Returns: what is said up to a commit, and the place behind it; `nil` where that was let
    ///   go, as a later commit is durable.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func holdForCheckpoint(
        _ durable: LogPosition
    ) throws(BullaError) -> LogCheckpoint? {
        let older = state.withLock { state in
            state.enter(reaching: durable.commit)
            return state.older.map { LogPosition(behind: $0.last, in: state.newer.sequence) }
        }
        let end = older.map { $0.commit <= durable.commit ? $0 : durable } ?? durable
        invariant(end.commit <= durable.commit, "trees take over what is durable")
        guard let view = try hold(at: end.commit), view.commit == end.commit else { return nil }
        return LogCheckpoint(view: view, end: end)
    }

    static var incomplete: BullaError {
        BullaError(
            .outOfMemory,
            "read what this process has committed: there was no memory to index it; close the "
                + "store and open it again")
    }

    /// How many bytes they take, those that a snapshot alone still holds included.
    var byteCount: Int { living.reduce(0) { $0 + $1.byteCount } }

    private var living: [MemtableMemory] { made.withLock { $0.compactMap(\.memory) } }

    /// Lets versions go that are older than that of a commit, which is durable.
    package func settle(_ durable: UInt64) {
        state.withLock { state in
            state.newer.settle(durable)
            state.older?.settle(durable)
        }
    }

    /// Lets the older half go where the trees have all that it said.
    ///
    /// - Parameter position: in the checkpoint's record.
    package func forget(upTo position: LogPosition) {
        state.withLock { state in
            if let older = state.older, older.end <= position.commit { state.older = nil }
        }
    }

    /// Makes every byte zero: whatever view somebody holds says nothing any more.
    package func wipe() {
        for memory in living { memory.wipe() }
        rooms.withLock { rooms in
            for room in rooms { room.bytes.fill(0, room.bytes.byteCount) }
        }
    }
}

extension LogMemtables.State {
    /// The last commit that is known of.
    var end: UInt64 { next?.half.end ?? newer.end }

    /// Goes behind the root frame that was passed last, if a commit lies there.
    mutating func enter(reaching commit: UInt64) {
        guard let next, commit >= next.half.start else { return }
        self = LogMemtables.State(newer: next.half, root: next.root)
    }

    /// The same, where all that was committed since could be indexed.
    mutating func enterWhole(reaching commit: UInt64) throws(BullaError) {
        enter(reaching: commit)
        guard !isIncomplete else { throw LogMemtables.incomplete }
    }

    fileprivate func hold(
        _ newer: HalfMemtable, over older: HalfMemtable?, at commit: UInt64
    ) throws(BullaError) -> LogView? {
        guard let state = newer.state(at: commit), let held = try newer.hold(state.version) else {
            return nil
        }
        return LogView(
            commit: min(commit, newer.end), origin: older?.start ?? newer.start,
            nextTree: state.nextTree, newer: held,
            older: try (older ?? newer).holdBeneath(newer.sequence))
    }
}

extension LogPosition {
    /// Where the next use of the halves begins that follows a commit: nothing of the use before is
    /// needed from there on.
    fileprivate init(behind last: LogPosition, in sequence: UInt64) {
        self.init(
            place: LogPlace(sequence: sequence, offset: SegmentHeader.frameOffset), segment: 0,
            tag: last.tag, commit: last.commit)
    }
}
