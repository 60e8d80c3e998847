internal import BullaMemory

/// A change of a checkpoint's trees, made by the next checkpoint, or by a transaction that changes
/// pages directly.
///
/// Nothing else sees the change before it is committed. To give it up, discard this object.
final class TreeChange {
    /// The commit that this change builds on.
    let base: CommitRecord
    let pages: ChangedPages
    /// When the changed pages take up more than this many bytes, some are sealed early.
    let dirtyByteLimit: Int
    /// How many trees have names.
    private(set) var treeCount: UInt64
    /// The number that the next new tree gets.
    ///
    /// It never decreases, even when a savepoint is rolled back, so this transaction never gives a
    /// number twice.
    private(set) var nextTree: UInt64
    /// Where the log lies, and where it continues after the commit.
    var log: LogExtent
    /// The pointers to the changed pages that have been sealed, by the pages' indices.
    var sealed: [Int: PagePointer] = [:]
    /// Once ``WriterMemory/usedCount`` reaches this, the writer looks for pages to seal early.
    var reliefDue = 0

    init(over base: CommitRecord, _ pages: ChangedPages, dirtyByteLimit: Int) {
        self.base = base
        self.pages = pages
        self.dirtyByteLimit = dirtyByteLimit
        log = base.log
        treeCount = base.treeCount
        nextTree = base.nextTree
    }

    var commit: UInt64 { pages.commit }

    /// Whether there is anything to commit.
    var hasChanges: Bool { pages.trees.all.contains { $0.isChanged } }

    private var catalog: CatalogRecords { CatalogRecords(pages: pages) }

    /// Ensures that no new tree gets a number below `number` from now on.
    func numberTrees(from number: UInt64) { nextTree = max(nextTree, number) }

    // MARK: Trees

    /// The transaction's index of a tree; `nil` if no tree has that name.
    func openTree(_ name: ByteView) throws(BullaError) -> Int? {
        if let index = pages.trees.index(named: name) {
            return pages.trees[index].isDropped ? nil : index
        }
        let root = pages.trees[OpenTrees.catalog].root
        let found = try CatalogKey.withTree(name) { key throws(BullaError) in
            try pages.storedRoot(key, in: root)
        }
        guard let root = found ?? nil else { return nil }
        guard root.pointer.birth <= base.commit else {
            throw pages.defect(root.pointer, "its tree names a commit that is yet to come")
        }
        guard root.pointer.isNone == (root.height == 0) else {
            throw pages.defect(root.pointer, "its tree claims a height of \(root.height)")
        }
        return pages.trees.add(OpenTree(name: try pages.memory.keepName(name), root: root))
    }

    /// - Parameters:
    ///   - number: the new tree's number in the log, or in the store that the tree is copied from;
    ///     `nil` for a new number.
    func openOrCreateTree(
        named name: ByteView, number: UInt64? = nil
    ) throws(BullaError) -> Int {
        if let tree = try openTree(name) { return tree }
        let number = number ?? nextTree
        treeCount &+= 1
        nextTree = max(nextTree, number &+ 1)
        let tree = pages.trees.add(
            OpenTree(
                name: try pages.memory.keepName(name), root: .empty(number: number),
                isChanged: true))
        try putTreeRecord(tree)
        return tree
    }

    func dropTree(named name: ByteView) throws(BullaError) -> Bool {
        guard let tree = try openTree(name) else { return false }
        try discardTree(tree)
        try takeName(of: tree)
        return true
    }

    /// Gives up all pages of a tree; the caller deletes the tree's record from the catalog.
    func discardTree(_ tree: Int) throws(BullaError) {
        try TreeRelease.run(tree, of: pages)
        pages.trees[tree].isDropped = true
        pages.trees[tree].isChanged = true
        treeCount &-= 1
    }

    /// Gives a tree a new name, which no tree has yet; a caller that has the tree open can go on
    /// using it.
    func renameTree(_ tree: Int, to newName: ByteView) throws(BullaError) {
        let name = try pages.memory.keepName(newName)
        try takeName(of: tree)
        try give(name, to: tree)
    }

    /// Deletes a tree's record from the catalog.
    func takeName(of tree: Int) throws(BullaError) {
        let isThere = try CatalogKey.withTree(pages.trees[tree].name) { key throws(BullaError) in
            try pages.editor(of: OpenTrees.catalog).delete(key)
        }
        guard isThere == true else {
            throw catalog.catalogDefect("a tree that was found is not in it")
        }
        pages.trees.forgetName(of: tree)
    }

    /// Names a nameless tree, and puts its record into the catalog.
    ///
    /// - Parameter name: in the transaction's memory; no tree has it.
    func give(_ name: ByteView, to tree: Int) throws(BullaError) {
        pages.trees.setName(name, of: tree)
        pages.trees[tree].isChanged = true
        // The root may be unsealed; sealing writes the record again.
        try putTreeRecord(tree)
    }

    /// Gives each tree of this change the index that the tree has in `opened`, which lists the
    /// transaction's trees so far.
    func arrange(as opened: OpenTrees) throws(BullaError) {
        var indices: [Int?] = []
        for tree in opened.named {
            guard !opened[tree].isDropped else {
                indices.append(nil)
                continue
            }
            guard let found = try openTree(opened[tree].name) else {
                throw catalog.catalogDefect("it lacks a tree that the log names")
            }
            indices.append(found)
        }
        pages.trees.arrange(as: indices)
    }

    /// Writes the current state of a tree to the catalog.
    func putTreeRecord(_ tree: Int) throws(BullaError) {
        let root = TreeRootLayout.bytes(pages.trees[tree].root)
        try CatalogKey.withTree(pages.trees[tree].name) { key throws(BullaError) in
            try root.withTypedView { root throws(BullaError) in try catalog.put(key, root) }
        }
    }
}

/// Savepoints.
extension TreeChange {
    /// A state that the change can be rolled back to.
    struct Savepoint {
        fileprivate let pages: ChangedPages.Savepoint
        fileprivate let treeCount: UInt64
    }

    func beginSavepoint() -> Savepoint {
        Savepoint(pages: pages.beginSavepoint(), treeCount: treeCount)
    }

    /// Keeps what was changed since the savepoint.
    func endSavepoint(_ savepoint: Savepoint) { pages.endSavepoint(savepoint.pages) }

    /// Undoes what was changed since the savepoint.
    func rollBack(to savepoint: Savepoint) {
        pages.rollBack(to: savepoint.pages)
        reliefDue = 0
        treeCount = savepoint.treeCount
    }
}

/// The length of the log's halves.
extension TreeChange {
    /// Moves a free half of the log to another run of pages, and fills it with random bytes.
    ///
    /// The former run is freed, but its pages are not used again while a meta slot still names that
    /// run, because recovery from that slot may need them.
    ///
    /// - Parameters:
    ///   - sequence: the sequence number of the half's next use, which no writer begins before this
    ///     change is committed.
    ///   - run: owned by this change, and longer than the former one.
    /// - Throws: `full`, `io`; then the half stays as it is.
    func moveHalf(of sequence: UInt64, to run: PageRun) throws(BullaError) {
        do throws(BullaError) { try LogHalf([run], pages.format).fill(pages.pager.file) } catch {
            pages.space.giveBack(run)
            throw error
        }
        pages.space.giveUpHalf(log[sequence])
        log[sequence] = run
    }
}
