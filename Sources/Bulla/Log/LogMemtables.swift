internal import BullaMemory
internal import Synchronization

/// An index of what a process has read from the log and committed to it: one memtable for each
/// half.
///
///     base trees    older half     newer half
///     ..........|---------------|--------->
///            origin                       newest commit
///
/// The memtables hold every change after the commit ``LogView/origin``. The trees under them may
/// contain some of these changes already.
///
/// A follower fills them, one commit after another. A writer fills them too, with an edit of its
/// own (``edit()``) that begins where the follower stands. ``LogTail`` and ``WriterLock`` keep
/// followers and writers apart. Any thread can hold a view.
package final class LogMemtables: Sendable {
    let format: PageFormat
    let log: LogFile
    let state: Mutex<State>
    private let changes = Atomic<UInt64>(0)
    let rooms = Mutex<[ScratchBuffer]>([])
    /// The memory of every memtable that somebody, such as a snapshot, still holds.
    private let made: Mutex<[WeakMemory]>

    private struct WeakMemory {
        weak var memory: MemtableMemory?
    }

    struct State {
        var newer: HalfMemtable
        /// `nil` if the trees have all changes of the older half, or if there was no older half.
        var older: HalfMemtable?
        /// Whether a commit of this process could not be indexed.
        var isIncomplete = false
        /// The trees under the memtables, if a root frame of the log has named them.
        var root: CommitRecord?
        /// The state after a root frame, kept here until a caller asks for the frame's commit or a
        /// later one.
        ///
        /// Until a meta slot names the root frame's trees, readers stay on the former trees.
        var next: Beginning?
    }

    /// The state right after a root frame: its trees, and no changes since.
    struct Beginning {
        let half: HalfMemtable
        /// The trees, and where the log continues after the frame.
        let root: CommitRecord
    }

    /// - Parameters:
    ///   - log: the log to index.
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

    /// Grows whenever a memtable takes a commit, is dropped, or drops versions.
    package var changeCount: UInt64 { changes.load(ordering: .acquiring) }

    /// Changes the state, and counts the change.
    func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            changes.add(1, ordering: .releasing)
        }
    }

    /// Makes an empty memtable, with room for the longer half; it suits whichever half is used
    /// next, because no half grows while in use.
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
            // Room for the operations, and as much again for their index.
            return try Memtable(
                byteLimit: budget.limit, expectedByteCount: 2 * budget.halfByteCount)
        } catch { throw BullaError.memtable("index the log", error) }
    }

    // MARK: Views

    /// A view of the log up to a commit, for lookups and scans.
    ///
    /// - Parameter commit: `nil` for the newest.
    /// - Returns: `nil` if the memtables have dropped their version as of that commit, because a
    ///   newer commit is durable or in the trees.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func hold(at commit: UInt64? = nil) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            let commit = commit ?? state.end
            try state.enterWhole(reaching: commit)
            // Ask the older half even for its last commit: it never drops its last version, but the
            // newer half may have dropped the version that it began with.
            guard commit <= state.newer.start, let older = state.older else {
                return try state.hold(state.newer, over: state.older, at: commit)
            }
            return try state.hold(older, over: nil, at: commit)
        }
    }

    /// A view of the log up to a durable commit, or up to a later durable commit if the version of
    /// the wanted one was dropped.
    ///
    /// - Returns: `nil` if the process has not followed the log to that commit, or has since begun
    ///   anew at an earlier place.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func holdDurable(_ commit: UInt64) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            try state.enterWhole(reaching: commit)
            guard commit <= state.newer.end else { return nil }
            // Only versions older than a commit that is durable or in the trees were dropped. So if
            // the wanted version is gone, the oldest version left belongs to a commit that is
            // durable or in the trees.
            if let older = state.older, commit <= state.newer.start {
                return try state.hold(older, over: nil, at: max(commit, older.oldest))
            }
            return try state.hold(
                state.newer, over: state.older, at: max(commit, state.newer.oldest))
        }
    }

    /// A view of everything in the log.
    ///
    /// - Returns: `nil` if the process has not followed the log to `commit`, or has since begun
    ///   anew at an earlier place.
    /// - Throws: `outOfMemory`; `readersFull`.
    package func holdNewest(atLeast commit: UInt64) throws(BullaError) -> LogView? {
        try state.withLock { state throws(BullaError) in
            try state.enterWhole(reaching: commit)
            guard commit <= state.newer.end else { return nil }
            return try state.hold(state.newer, over: state.older, at: state.newer.end)
        }
    }

    /// The record of the trees under the memtables, if a root frame carried it; it also says where
    /// the log continues after that frame.
    ///
    /// The checkpoint's record tells whether the meta slots name these trees.
    var root: CommitRecord? { state.withLock { $0.next?.root ?? $0.root } }

    /// The sequence number of the half in which the log ends.
    var newestSequence: UInt64 { state.withLock { $0.newer.sequence } }

    /// The last known commit.
    package var newestCommit: UInt64 { state.withLock { $0.end } }

    /// What the trees can take over: the older half, if there is one and all of it is durable;
    /// otherwise everything that is durable.
    ///
    /// - Parameter durable: how far the log is durable; the process has followed that far.
    /// - Returns: a view up to a commit, and the position after it; `nil` if the version as of that
    ///   commit was dropped because a later commit is durable.
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

    /// How many bytes the memtables take, including those that only a snapshot still holds.
    var byteCount: Int { living.reduce(0) { $0 + $1.byteCount } }

    private var living: [MemtableMemory] { made.withLock { $0.compactMap(\.memory) } }

    /// Drops versions that are older than a durable commit's.
    package func settle(_ durable: UInt64) {
        change { state in
            state.newer.settle(durable)
            state.older?.settle(durable)
        }
    }

    /// Drops the older half if the trees have all of its changes.
    ///
    /// - Parameter position: the position in the log that the checkpoint's record names.
    package func forget(upTo position: LogPosition) {
        change { state in
            if let older = state.older, older.end <= position.commit { state.older = nil }
        }
    }

    /// Zeroes every byte, so that views that somebody still holds find nothing any more.
    package func wipe() {
        for memory in living { memory.wipe() }
        rooms.withLock { rooms in
            for room in rooms { room.bytes.fill(0, room.bytes.byteCount) }
        }
    }
}

extension LogMemtables.State {
    /// The last known commit.
    var end: UInt64 { next?.half.end ?? newer.end }

    /// Moves past the last root frame, if `commit` is that frame's commit or a later one.
    mutating func enter(reaching commit: UInt64) {
        guard let next, commit >= next.half.start else { return }
        self = LogMemtables.State(newer: next.half, root: next.root)
    }

    /// Moves as ``enter(reaching:)`` does; throws if a commit could not be indexed.
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
    /// The position at the first frame of the newer half; replay from there does not need the older
    /// half.
    ///
    /// - Parameter last: the position after the last commit of the older half.
    fileprivate init(behind last: LogPosition, in sequence: UInt64) {
        self.init(
            place: LogPlace(sequence: sequence, offset: SegmentHeader.frameOffset), segment: 0,
            tag: last.tag, commit: last.commit)
    }
}
