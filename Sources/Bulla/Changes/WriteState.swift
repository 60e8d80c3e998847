internal import BullaMemory

/// What a write transaction has changed so far: pages of its own over the commit that it builds on.
///
/// Nobody else sees any of it before it is published. To abort is to forget it.
final class WriteState {
    let pager: Pager
    let growth: FileGrowth
    let board: any ReclaimBoard
    /// The commit that this one builds on.
    let base: CommitRecord
    /// The number that this commit will have.
    let commit: UInt64
    let dirtyByteLimit: Int
    let reclaimInterval: UInt64
    /// Tells this transaction from every other one of the process.
    let turn: UInt64
    /// Marks pointers to changed pages.
    let dirtyToken: UInt64

    let memory: WriterMemory
    var trees: [OpenTree]
    /// By their names.
    var treeIndex: [ByteView: Int] = [:]
    /// Pages of older commits that this one no longer refers to.
    var freed: [FreedPage] = []
    /// How many of `freed` the catalog knows already.
    var freedRecorded = 0
    var space: PageSpace
    /// How long the file was before this transaction made it longer; `nil` where it did not.
    var grownFrom: UInt64?
    /// Whether this transaction has asked for a flush already, to have pages again.
    var hasConfirmedFrees = false
    var treeCount: UInt64
    /// The number that the next new tree gets.
    ///
    /// It only grows, so that no number is given twice, be a savepoint rolled back.
    var nextTree: UInt64
    /// Which change of the user's key the commit names as the newest.
    var keyringGeneration: UInt64
    /// Where the log goes on after the commit; `nil` without a log.
    var log: LogExtent?
    /// What has sealed large values, and writes the last pages of them while others are sealed.
    var writer: SealedWriter?
    /// Changed pages that are sealed already, by their index.
    var sealed: [Int: PagePointer] = [:]
    /// The way to the leaf of the operation that is under way, from the root.
    var path: [EditStep] = []

    /// Whether it was committed or given up: its memory is another transaction's then.
    var isEnded = false
    var savepointCount: UInt64 = 0
    /// The innermost savepoint that has not ended; 0 where there is none.
    var openSavepoint: UInt64 = 0
    /// Changed pages that nothing refers to any more but what a savepoint may put back.
    var superseded: [Int] = []
    /// Numbers of pages of this transaction's own, given up, that a savepoint may put back.
    var heldBack: [UInt64] = []
    /// How many pages have to be made before it is looked again what can be sealed early.
    var reliefDue = 0

    struct FreedPage {
        var number: UInt64
        var birth: UInt64
    }

    /// A tree as this transaction sees it.
    ///
    /// The catalog is the first.
    struct OpenTree {
        /// In the transaction's memory.
        var name: ByteView
        var root: TreeRoot
        var isChanged = false
        var isDropped = false

        /// The trees of before a savepoint.
        ///
        /// The numbers of those that were opened since are not given again: a caller that still has
        /// one is told that it is gone.
        static func put(_ trees: [OpenTree], backTo former: [OpenTree]) -> [OpenTree] {
            former
                + trees.dropFirst(former.count).map {
                    OpenTree(name: $0.name, root: .empty, isDropped: true)
                }
        }
    }

    static let catalog = 0

    init(
        pager: Pager, growth: FileGrowth, board: any ReclaimBoard, base: CommitRecord,
        commit: UInt64? = nil, turn: UInt64, dirtyToken: UInt64, memory: WriterMemory,
        dirtyByteLimit: Int, reclaimInterval: UInt64
    ) {
        self.turn = turn
        self.dirtyToken = dirtyToken
        self.pager = pager
        self.memory = memory
        self.growth = growth
        self.board = board
        self.base = base
        self.dirtyByteLimit = dirtyByteLimit
        self.reclaimInterval = reclaimInterval
        self.commit = commit ?? base.commit + 1
        log = base.log
        trees = [OpenTree(name: emptyView, root: base.catalog)]
        space = PageSpace(base)
        treeCount = base.treeCount
        nextTree = base.nextTree
        keyringGeneration = base.keyringGeneration
    }

    /// Whether there is anything to commit.
    var hasChanges: Bool {
        trees.contains { $0.isChanged } || keyringGeneration != base.keyringGeneration
    }

    // MARK: Changed pages

    func bytes(_ index: Int) -> MutableByteView {
        memory.arena.page(index)
    }

    /// A changed page that nothing refers to yet; its bytes are whatever they were.
    func makePage(_ kind: PageKind, level: Int, in tree: Int) throws(BullaError) -> Int {
        try memory.makePage(
            DirtyPage(
                kind: kind, level: level, isCatalog: tree == Self.catalog,
                madeAfter: savepointCount))
    }

    func dropPage(_ index: Int) {
        if isFrozen(index) { superseded.append(index) } else { memory.free(index) }
    }

    /// What a changed page is.
    @inline(__always)
    func dirty(_ index: Int) -> DirtyPage { memory.dirty(index) }

    /// A changed copy of a tree's page, or the page itself where it is a changed one.
    func writable(_ pointer: PagePointer, level: Int, in tree: Int) throws(BullaError) -> Int {
        if let index = pointer.dirtyIndex(token: dirtyToken) {
            return isFrozen(index) ? try thaw(index, in: tree) : index
        }
        let index = try makePage(level == 0 ? .leaf : .branch, level: level, in: tree)
        do throws(BullaError) {
            let isSound = try pager.copy(pointer, dirty(index).kind, into: bytes(index))
            try checkLevel(page(index), pointer, dirty(index).kind, level)
            if !isSound { try checkStructure(page(index), pointer) }
            try checkBirths(page(index), pointer)
        } catch {
            dropPage(index)
            throw error
        }
        release(pointer)
        return index
    }

    /// Refuses a page that names younger ones.
    ///
    /// Giving up pages rests on it: what was born in this commit is this transaction's own.
    func checkBirths(_ page: TreePage, _ pointer: PagePointer) throws(BullaError) {
        let birth = pointer.dirtyIndex(token: dirtyToken) == nil ? pointer.birth : commit
        guard page.namesNoPage(youngerThan: birth) else {
            throw namesYounger(pointer)
        }
    }

    /// A copy of a frozen page, to be changed.
    func thaw(_ index: Int, in tree: Int) throws(BullaError) -> Int {
        let copy = try makePage(dirty(index).kind, level: dirty(index).level, in: tree)
        bytes(copy).copy(bytes(index).view, to: 0)
        dropPage(index)
        return copy
    }

    /// Gives up a page that the tree no longer refers to.
    func release(_ pointer: PagePointer) {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return dropPage(index) }
        if pointer.birth == commit {
            // Sealed early by this very transaction: nobody else can refer to it.
            if openSavepoint == 0 {
                space.returned.append(pointer.number)
            } else {
                heldBack.append(pointer.number)
            }
        } else {
            freed.append(FreedPage(number: pointer.number, birth: pointer.birth))
        }
    }
}

extension WriteState: PageSource {
    var format: PageFormat { pager.format }

    @inline(__always)
    func content(_ pointer: PagePointer, _ kind: PageKind) throws(BullaError) -> ByteView {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return bytes(index).view }
        if pointer.birth == commit { try finishWrites() }
        return try pager.content(pointer, kind)
    }

    /// The writer's lock keeps others from writing over what a transaction reads.
    @inline(__always)
    func checkUnchanged(_ pointer: PagePointer) {}

    func prefetch(_ pointer: PagePointer) {
        if pointer.dirtyIndex(token: dirtyToken) == nil { pager.prefetch(pointer) }
    }

    func operate<R: ~Copyable>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        try pager.operate(body)
    }

    func lend<R>(
        _ pointer: PagePointer, _ kind: PageKind, _ body: (ByteView) throws -> R
    ) throws -> R {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return try body(bytes(index).view) }
        if pointer.birth == commit { try finishWrites() }
        return try pager.lend(pointer, kind, body)
    }

    func open(
        _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        if pointer.birth == commit { try finishWrites() }
        try pager.open(pointer, kind, into: content)
    }

    func open(
        _ pointers: [PagePointer], _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError) {
        if pointers.contains(where: { $0.birth == commit }) { try finishWrites() }
        try pager.open(pointers, kind, into: target)
    }

    func defect(_ pointer: PagePointer, _ what: String) -> BullaError {
        pager.defect(pointer, what)
    }

    func pageLimit() throws(BullaError) -> UInt64 { space.pageCount }
}
