internal import BullaMemory

/// What a write transaction has changed so far: the draft of its frame (its record in the log), and
/// an index of that draft on top of all earlier commits.
///
///     in the log    --goes direct-->  in pages of its own, over the newest trees
///                   <--rolled back--
///
/// Only the transaction sees the changes before they are committed. To give them up, end it.
final class LogChanges {
    /// The trees of a checkpoint, to which the log adds later changes.
    let base: PinnedCommit
    /// Greater than the number of every tree in that checkpoint's catalog.
    let nextStoredTree: UInt64
    /// The number that this commit will have.
    let commit: UInt64
    /// The trees that the transaction has opened; the catalog is the first.
    private(set) var trees: OpenTrees
    /// The number that the next new tree gets, until the transaction changes pages directly.
    ///
    /// After that, `direct` gives the numbers. `nextTree` never decreases, even when a savepoint is
    /// rolled back, so this transaction never gives a number twice.
    private(set) var nextTree: UInt64
    /// Whether the transaction went direct only because the log is too short for it.
    var hasOutgrownLog = false
    /// The pages that the transaction changes; `nil` unless the transaction has gone direct.
    private(set) var direct: TreeChange?
    private let memtables: LogMemtables
    private var turn: LogTurn?
    private var edit: LogEdit?
    /// How many bytes the transaction's frames may take in all.
    private let byteLimit: UInt64

    /// - Parameters:
    ///   - base: pinned; the store unpins it when the transaction has ended.
    ///   - byteLimit: how many bytes the frames may take in all.
    init(
        _ turn: consuming LogTurn, _ edit: consuming LogEdit, of memtables: LogMemtables,
        over base: PinnedCommit, nextStoredTree: UInt64, byteLimit: UInt64
    ) {
        commit = turn.commit + 1
        nextTree = max(edit.nextTree, nextStoredTree)
        self.memtables = memtables
        self.base = base
        self.nextStoredTree = nextStoredTree
        self.byteLimit = byteLimit
        trees = OpenTrees(catalog: base.catalog)
        self.turn = consume turn
        self.edit = consume edit
    }

    /// Whether the transaction was committed or given up.
    var isEnded: Bool { turn == nil }

    /// Whether there is nothing to commit.
    var isEmpty: Bool { turn?.isEmpty ?? true }

    /// What the log says, with the transaction's changes; valid until the next change.
    var pair: MemtablePair {
        guard let pair = edit?.pair else {
            preconditionFailure("an ended transaction has no changes to read")
        }
        return pair
    }

    /// Whether the log can still take an operation with that many bytes of keys, values and names.
    func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= LogDraft.operationByteLimit && UInt64(byteCount) <= room
    }

    /// How many more bytes of operations the log can take.
    var room: UInt64 { byteLimit.subtractingOrZero(turn?.frameByteCount ?? 0) }

    /// The sequence number of the half in which the log ends; `nil` if a root frame (which names
    /// new trees) no longer fits there, and so goes into the other half.
    var logSequence: UInt64? {
        guard let sequence = turn?.sequence, turn?.keepsRootFrame ?? false else { return nil }
        return sequence
    }

    /// A tree that the transaction has opened, in its current state.
    @inline(__always)
    func tree(_ index: Int) -> OpenTree { direct?.pages.trees[index] ?? trees[index] }

    func put(_ tree: Int, _ key: ByteView, _ value: ByteView) throws(BullaError) {
        if let direct { return try direct.pages.editor(of: tree).put(key, value) }
        try apply(.put(tree: trees[tree].root.number, key: key, value: value))
    }

    /// Deletes a key, which need not exist.
    func delete(_ tree: Int, _ key: ByteView) throws(BullaError) {
        if let direct {
            _ = try direct.pages.editor(of: tree).delete(key)
            return
        }
        try apply(.delete(tree: trees[tree].root.number, key: key))
    }

    /// - Throws: `outOfMemory`, for example because the memtable is full of this transaction's own
    ///   versions; then nothing has changed.
    private func apply(_ operation: LogOperation) throws(BullaError) {
        let mark = turn?.mark
        try turn?.append(operation)
        do throws(BullaError) { try index(operation) } catch {
            if let mark { turn?.cut(to: mark) }
            throw error
        }
    }

    private func index(_ operation: LogOperation) throws(BullaError) {
        do throws(BullaError) { try edit?.apply(operation) } catch {
            guard error.code == .outOfMemory else { throw error }
            // The memtable may be full of old versions: it keeps each until a later one is known to
            // be durable. A flush makes room.
            try flushFormer()
            try edit?.apply(operation)
        }
    }
}

/// Trees.
extension LogChanges {
    /// The index of a tree that is already open; `nil` if no tree of that name is.
    func openedTree(_ name: ByteView) -> Int? { trees.index(named: name) }

    private func keep(_ name: ByteView) throws(BullaError) -> ByteView {
        guard let name = try turn?.keepName(name) else {
            preconditionFailure("an ended transaction opens no tree")
        }
        return name
    }

    /// Adds a tree that the caller has found, and returns its index.
    func open(_ name: ByteView, _ root: TreeRoot) throws(BullaError) -> Int {
        trees.add(OpenTree(name: try keep(name), root: root))
    }

    /// - Parameters:
    ///   - name: a name that no tree has.
    ///   - number: the tree's number in the store that it is copied from; `nil` for a new number.
    func createTree(named name: ByteView, number: UInt64? = nil) throws(BullaError) -> Int {
        let number = number ?? nextTree
        let name = try keep(name)
        try apply(.createTree(number, name: name))
        nextTree = max(nextTree, number &+ 1)
        return trees.add(OpenTree(name: name, root: .empty(number: number)))
    }

    func dropTree(_ index: Int) throws(BullaError) {
        try apply(.dropTree(trees[index].root.number, name: trees[index].name))
        trees[index].isDropped = true
        trees.forgetName(of: index)
    }

    /// - Parameter newName: a name that no tree has.
    func renameTree(_ index: Int, to newName: ByteView) throws(BullaError) {
        let former = trees[index].name
        let name = try keep(newName)
        try apply(.renameTree(trees[index].root.number, name: former, newName: name))
        trees.forgetName(of: index)
        trees.setName(name, of: index)
    }
}

/// Savepoints.
extension LogChanges {
    /// A state to which the transaction can be rolled back.
    enum Savepoint {
        case pages(TreeChange.Savepoint)
        case log(Mark)
    }

    /// A state of the draft and of its index.
    struct Mark {
        fileprivate let edit: LogEdit.Mark
        fileprivate let draft: LogDraft.Mark
        fileprivate let trees: OpenTrees
    }

    /// - Throws: `outOfMemory`.
    func beginSavepoint() throws(BullaError) -> Savepoint {
        if let direct { return .pages(direct.beginSavepoint()) }
        guard let edit = try edit?.mark(), let draft = turn?.mark else {
            preconditionFailure("an ended transaction has no savepoints")
        }
        return .log(Mark(edit: edit, draft: draft, trees: trees))
    }

    /// Keeps what was changed since the savepoint.
    func end(_ savepoint: Savepoint) {
        if case .pages(let savepoint) = savepoint { direct?.endSavepoint(savepoint) }
    }

    /// Undoes what was changed since the savepoint.
    ///
    /// If the transaction went direct after the savepoint, the caller must first give up its pages
    /// and call ``leaveDirect()``.
    func rollBack(to savepoint: Savepoint) {
        switch savepoint {
        case .pages(let savepoint): direct?.rollBack(to: savepoint)
        case .log(let mark): rollBack(to: mark)
        }
    }

    private func rollBack(to mark: Mark) {
        invariant(direct == nil, "pages are given up before what they stand on is undone")
        edit?.cut(to: mark.edit)
        turn?.cut(to: mark.draft)
        trees.put(backTo: mark.trees)
    }
}

/// Changing pages.
extension LogChanges {
    /// Merges what the log says, and what this transaction has changed, into pages.
    ///
    /// From then on, the transaction changes those pages.
    ///
    /// - Parameter change: builds on the newest checkpoint; the caller holds the lock on the trees.
    /// - Throws: what merging throws; then the changes remain in the draft.
    func goDirect(_ change: TreeChange) throws(BullaError) {
        try LogMerge(change: change).merge(pair, nextTree: nextTree)
        try change.arrange(as: trees)
        direct = change
    }

    /// Forgets the pages, which the caller gives up.
    ///
    /// Trees that the transaction has opened or made since it went direct are gone, and their
    /// indices and numbers are not reused.
    func leaveDirect() {
        guard let direct else { return }
        trees.addGone(upTo: direct.pages.trees.count)
        nextTree = max(nextTree, direct.nextTree)
        self.direct = nil
    }
}

/// Ending the transaction.
extension LogChanges {
    /// Whether the commit has to wait for a checkpoint because both halves of the log are full.
    func needsCheckpoint() throws(BullaError) -> Bool {
        try turn?.needsCheckpoint() ?? false
    }

    /// Makes the commits before this one durable, under the writer lock.
    func flushFormer() throws(BullaError) {
        try turn?.flush()
        memtables.settle(commit - 1)
    }

    /// Appends the commit's frame and announces the commit; the caller then ends the transaction.
    ///
    /// - Returns: where the log continues; `nil`, with nothing changed, if only a checkpoint can
    ///   make room in the log.
    /// - Throws: `full`, `poisoned`, `io`; then there is no commit.
    func publish() throws(BullaError) -> LogPosition? {
        try turn?.commit { draft, position in
            if let edit = edit.take() { memtables.publish(edit, draft, at: position) }
        }
    }

    /// Appends a root frame as the commit, makes it durable, and releases the writer lock.
    ///
    /// - Parameter name: called once the frame is durable; it names the new trees in the meta
    ///   slots.
    /// - Throws: as ``publish()``; `poisoned` can also mean that the frame is in the log.
    func publish(
        root record: CommitRecord, name: (CommitRecord) throws(BullaError) -> Void
    ) throws(BullaError) {
        defer { end() }
        let memtable = try memtables.makeMemtable()
        try turn?.appendRoot(record) { root, end in
            memtables.begin(over: root, at: end, memtable)
        } name: { root throws(BullaError) in
            try name(root)
        }
    }

    /// Ends the transaction and releases the writer lock; uncommitted changes leave no trace.
    func end() {
        // Drop the edit first: dropping the turn releases the writer lock, and then the next writer
        // may edit the same memtable.
        edit = nil
        turn = nil
        direct = nil
    }
}
