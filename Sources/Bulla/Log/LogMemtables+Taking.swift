package import BullaMemory
internal import Synchronization

/// Takes what a writer commits.
extension LogMemtables {
    /// Begins to index a writer's changes, on top of everything that was committed before.
    ///
    /// The caller holds the writer lock, and has caught up. If ``LogEdit/isCrowded`` is set, the
    /// caller makes durable what was committed before, and drops older versions (``settle(_:)``).
    ///
    /// - Throws: `outOfMemory` if an earlier commit could not be indexed; `readersFull`.
    package func edit() throws(BullaError) -> LogEdit {
        try state.withLock { state throws(BullaError) in
            try state.enterWhole(reaching: .max)
            let sequence = state.newer.sequence
            var older = state.newer.memtable.holdNothing()
            if let half = state.older { older = try half.holdBeneath(sequence) }
            return try LogEdit(
                state.newer.memtable, sequence: sequence, over: older,
                within: MemtableBudget(log.longerByteCount),
                origin: state.older?.start ?? state.newer.start,
                nextTree: state.newer.newest.nextTree)
        }
    }

    /// Takes a writer's commit, which is in the log now.
    ///
    /// The log may have moved on to the other half since the edit began, or the memtables may have
    /// been replaced. In that case, this indexes the commit again, in the memtable that is in use
    /// now. The call does not throw, because the commit can no longer be taken back; if memory runs
    /// out, later reads throw instead.
    ///
    /// - Parameters:
    ///   - draft: what the edit has indexed.
    ///   - end: the position after the commit.
    package func publish(
        _ edit: consuming LogEdit, _ draft: borrowing LogDraft, at end: LogPosition
    ) {
        if state.withLock({ edit.changes($0.newer, upTo: end) }) {
            let published = edit.publish()
            return change { $0.newer.note(published, at: end) }
        }
        _ = consume edit
        var parts = draft.parts[...]
        do throws(BullaError) {
            try add(end) { parts.popFirst()?.builder.operations(format, commit: end.commit) }
        } catch {
            change { $0.isIncomplete = true }
        }
    }
}

/// Takes root frames: the record in such a frame says which trees are the newest from then on.
extension LogMemtables {
    /// Takes a root frame's commit, whose trees contain every change before it.
    ///
    /// - Parameters:
    ///   - root: the commit's record.
    ///   - end: where the log continues after the frame; `root` says the same.
    ///   - memtable: an empty one that nobody else uses.
    func begin(over root: CommitRecord, at end: LogPosition, _ memtable: Memtable) {
        let half = HalfMemtable(after: end, memtable)
        change { state in
            state.enter(reaching: .max)
            invariant(
                state.isIncomplete || half.start == state.end + 1,
                "a tree is committed behind the last commit")
            state.next = Beginning(half: half, root: root)
        }
    }
}

/// Takes what a follower reads.
extension LogMemtables: LogSink {
    package func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        try rooms.withLock { rooms throws(BullaError) in
            while rooms.count <= part { rooms.append(try Buffer.make(byteCount)) }
            if rooms[part].bytes.byteCount < byteCount { rooms[part] = try Buffer.make(byteCount) }
            return rooms[part].bytes.slice(0, byteCount)
        }
    }

    package func begin(at position: LogPosition) throws(BullaError) {
        let half = HalfMemtable(after: position, try makeMemtable())
        change { $0 = State(newer: half) }
    }

    package func take(_ commit: LogCommit) throws(BullaError) {
        // Do not keep the memory of many parts for the next commit.
        defer { rooms.withLock { $0.removeLast(max($0.count - 1, 0)) } }
        guard !commit.isRoot else {
            if PlantedBug.isPlanted(.rootFramePassed) { return try add(commit.position) { nil } }
            return try begin(over: commit)
        }
        // Drop older versions before adding the commit, as its writer did: that makes room in a
        // full memtable.
        if let durable = commit.frames.first?.durable { settle(durable) }
        var frames = commit.frames[...]
        try add(commit.position) { frames.popFirst()?.operations(format) }
    }

    private func begin(over commit: LogCommit) throws(BullaError) {
        guard let root = try commit.root(format) else { return }
        begin(over: root, at: commit.position, try makeMemtable())
    }

    /// Indexes a commit, and makes it visible to the threads of this process.
    ///
    /// - Parameter next: returns the operations of the commit's next part; `nil` after the last.
    private func add(
        _ end: LogPosition, _ next: () -> LogOperations?
    ) throws(BullaError) {
        let sequence = end.place.sequence
        let (former, memtable, last, nextTree) = try state.withLock {
            state throws(BullaError) in
            try state.enterWhole(reaching: .max)
            let newer = state.newer
            return (newer.sequence, newer.memtable, newer.last, newer.newest.nextTree)
        }
        invariant(sequence >= former, "halves are used in turn")
        let new: HalfMemtable? =
            former == sequence
            ? nil
            : HalfMemtable(
                sequence: sequence, after: last, nextTree: nextTree, try makeMemtable())
        let target = new?.memtable ?? memtable
        var edit = try LogEdit(
            target, sequence: sequence, over: target.holdNothing(), origin: last.commit,
            nextTree: nextTree)
        while var operations = next() {
            while let operation = try operations.next() { try edit.apply(operation) }
        }
        let published = edit.publish()
        change { state in
            if let new { (state.older, state.newer) = (state.newer, new) }
            state.newer.note(published, at: end)
        }
    }
}
