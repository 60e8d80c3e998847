internal import BullaMemory

/// What a write transaction has changed so far: what its frame will say, and an index of that over
/// all that was committed before.
///
///     in the log    --outgrows it-->  direct: pages of its own, over the newest trees
///                   <--rolled back--
///
/// Nobody else sees any of it before it is committed. To give it up is to end it.
final class LogChanges {
    /// The trees beneath what the log says, of a checkpoint.
    let base: PinnedCommit
    /// No tree of the catalog beneath has this number, or a greater one.
    let nextStoredTree: UInt64
    /// The number that this commit will have.
    let commit: UInt64
    /// The trees that the transaction has opened; the catalog is the first.
    private(set) var trees: OpenTrees
    /// The number that the next new tree gets.
    ///
    /// It never shrinks, even when a savepoint is rolled back, so this transaction gives no number
    /// twice.
    private(set) var nextTree: UInt64
    /// Whether a longer log would have taken what it has to say.
    var hasOutgrownLog = false
    /// The pages that it changes, once it has outgrown the log.
    private(set) var direct: TreeChange?
    private let memtables: LogMemtables
    private var turn: LogTurn?
    private var edit: LogEdit?
    /// So many bytes of frames are too many.
    private let byteLimit: UInt64

    /// - Parameters:
    ///   - base: pinned; the store unpins it when the transaction has ended.
    ///   - byteLimit: of the frames.
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

    /// Whether it was committed or given up.
    var isEnded: Bool { turn == nil }

    /// Whether there is nothing to commit.
    var isEmpty: Bool { turn?.isEmpty ?? true }

    /// What the log says with these changes; good until the next one.
    var pair: MemtablePair {
        guard let pair = edit?.pair else {
            preconditionFailure("an ended transaction says nothing")
        }
        return pair
    }

    /// Whether an operation with so many bytes of keys, values and names can still be one of the
    /// log's.
    func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= LogDraft.operationByteLimit && UInt64(byteCount) <= room
    }

    /// How many bytes of operations the log takes beside those that there are.
    var room: UInt64 { byteLimit.subtractingOrZero(turn?.frameByteCount ?? 0) }

    /// The use of a half in which the log ends, and will when a tree is committed; `nil` where that
    /// goes into the other half.
    var logSequence: UInt64? {
        guard let sequence = turn?.sequence, turn?.keepsRootFrame ?? false else { return nil }
        return sequence
    }

    /// A tree that the transaction has opened, as it is by now.
    @inline(__always)
    func tree(_ index: Int) -> OpenTree { direct?.pages.trees[index] ?? trees[index] }

    func put(_ tree: Int, _ key: ByteView, _ value: ByteView) throws(BullaError) {
        if let direct { return try direct.pages.editor(of: tree).put(key, value) }
        try apply(.put(tree: trees[tree].root.number, key: key, value: value))
    }

    /// The key need not be there.
    func delete(_ tree: Int, _ key: ByteView) throws(BullaError) {
        if let direct {
            _ = try direct.pages.editor(of: tree).delete(key)
            return
        }
        try apply(.delete(tree: trees[tree].root.number, key: key))
    }

    /// - Throws: `outOfMemory`, where the memtable is full of this transaction's own versions, say;
    ///   then nothing has changed.
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
            // What is full of versions that nobody knows to be durable has room once they are.
            try flushFormer()
            try edit?.apply(operation)
        }
    }
}

/// Trees.
extension LogChanges {
    /// The number for a tree that was opened already; `nil` where none of that name was.
    func openedTree(_ name: ByteView) -> Int? { trees.index(named: name) }

    private func keep(_ name: ByteView) throws(BullaError) -> ByteView {
        guard let name = try turn?.keepName(name) else {
            preconditionFailure("an ended transaction opens no tree")
        }
        return name
    }

    /// Numbers a tree that was found.
    func open(_ name: ByteView, _ root: TreeRoot) throws(BullaError) -> Int {
        trees.add(OpenTree(name: try keep(name), root: root))
    }

    /// - Parameters:
    ///   - name: no tree has it.
    ///   - number: of a new tree that takes the place of another store's; `nil` gives it the next.
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

    /// - Parameter newName: no tree has it.
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
    /// A moment of the transaction that it can be put back to.
    enum Savepoint {
        case pages(TreeChange.Savepoint)
        case log(Mark)
    }

    /// A moment in what the log is to say.
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

    /// Lets what was changed since stand.
    func end(_ savepoint: Savepoint) {
        if case .pages(let savepoint) = savepoint { direct?.endSavepoint(savepoint) }
    }

    /// Undoes what was changed since.
    ///
    /// Pages that were not changed yet then were given up.
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
    /// Has pages say all that the log says, and what this transaction has changed; they are what it
    /// changes from here on.
    ///
    /// - Parameter change: over the newest checkpoint, under the lock on the trees.
    /// - Throws: what merging throws; then the log is still to say it.
    func goDirect(_ change: TreeChange) throws(BullaError) {
        try LogMerge(change: change).merge(pair, nextTree: nextTree)
        try change.arrange(as: trees)
        direct = change
    }

    /// Forgets the pages, which are to be given up.
    ///
    /// The trees that were opened or made in them are gone, and their numbers are not given again.
    func leaveDirect() {
        guard let direct else { return }
        trees.addGone(upTo: direct.pages.trees.count)
        nextTree = max(nextTree, direct.nextTree)
        self.direct = nil
    }
}

/// The end.
extension LogChanges {
    /// Whether the commit has to wait for a checkpoint: both halves of the log are full.
    func needsCheckpoint() throws(BullaError) -> Bool {
        try turn?.needsCheckpoint() ?? false
    }

    /// Makes durable what was committed before, under the writer's lock.
    func flushFormer() throws(BullaError) {
        try turn?.flush()
        memtables.settle(commit - 1)
    }

    /// Appends the commit's frame, and lets others see it; the caller ends it then.
    ///
    /// - Returns: where the log goes on; `nil` where it has no room before a checkpoint, and
    ///   nothing has changed.
    /// - Throws: `full`, `poisoned`, `io`: then there is no commit.
    func publish() throws(BullaError) -> LogPosition? {
        try turn?.commit { draft, position in
            if let edit = edit.take() { memtables.publish(edit, draft, at: position) }
        }
    }

    /// Appends a frame that names a tree as the commit, makes it durable, and gives up the writer's
    /// lock.
    ///
    /// - Parameter name: names the tree in the metas; called once the frame is durable.
    /// - Throws: as ``publish()``; `poisoned` too where the frame stands.
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

    /// Ends it, without a trace where it was not committed, and gives up the writer's lock.
    func end() {
        // In this order: the next writer edits the same memtable.
        edit = nil
        turn = nil
        direct = nil
    }
}
