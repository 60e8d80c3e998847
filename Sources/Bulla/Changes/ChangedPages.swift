internal import BullaMemory

/// The pages of one change of the trees, in memory until they are sealed.
///
/// Nothing else sees the pages before the change is committed. To give the change up, discard this
/// object.
final class ChangedPages {
    let pager: Pager
    let memory: WriterMemory
    /// Marks pointers to changed pages.
    let dirtyToken: UInt64
    /// The number of the commit that the change will become.
    let commit: UInt64
    /// Gives out page numbers, and takes freed ones back.
    let space: SpaceKeeper
    /// The trees that the change has opened.
    var trees: OpenTrees
    /// The path from the root to the leaf of the current operation.
    var path: [EditStep] = []
    /// The catalog that the change builds on.
    let baseCatalog: PagePointer
    let writer: ChangeWriter
    private(set) var savepoints = Savepoints()

    init(
        _ pager: Pager, _ memory: WriterMemory, _ space: SpaceKeeper, over base: CommitRecord,
        dirtyToken: UInt64
    ) {
        self.pager = pager
        self.memory = memory
        self.space = space
        self.dirtyToken = dirtyToken
        commit = space.commit
        baseCatalog = base.catalog.pointer
        writer = ChangeWriter(
            pager, board: space.board, staging: memory.staging,
            epoch: UInt32(clamping: base.keyEpoch), commit: space.commit)
        trees = OpenTrees(catalog: base.catalog)
    }

    /// The catalog's records of free and freed pages, as this change edits them.
    var ledger: SpaceLedger {
        SpaceLedger(keeper: space, catalog: CatalogRecords(pages: self))
    }
}

extension ChangedPages: PageEditing, PageExchange {
    subscript(rootOf tree: Int) -> TreeRoot {
        @inline(__always) get { trees[tree].root }
        @inline(__always) set { trees[tree].root = newValue }
    }

    func markChanged(_ tree: Int) { trees[tree].isChanged = true }

    func makePage(_ kind: PageKind, level: Int, in tree: Int) throws(BullaError) -> Int {
        try memory.makePage(
            DirtyPage(
                kind: kind, level: level, isCatalog: tree == OpenTrees.catalog,
                madeAfter: savepoints.count))
    }

    func writable(_ pointer: PagePointer, level: Int, in tree: Int) throws(BullaError) -> Int {
        if let index = pointer.dirtyIndex(token: dirtyToken) {
            return savepoints.hasFrozen(dirty(index)) ? try thaw(index, in: tree) : index
        }
        let index = try makePage(level == 0 ? .leaf : .branch, level: level, in: tree)
        do throws(BullaError) {
            let origin = try pager.copy(pointer, dirty(index).kind, into: bytes(index))
            try checkLevel(page(index), pointer, dirty(index).kind, level)
            if origin != .writer { try checkStructure(page(index), pointer) }
            try checkBirths(page(index), pointer)
        } catch {
            dropPage(index)
            throw error
        }
        release(pointer)
        return index
    }

    /// Copies a frozen page, which a rollback may restore, so that the copy can be changed.
    private func thaw(_ index: Int, in tree: Int) throws(BullaError) -> Int {
        let copy = try makePage(dirty(index).kind, level: dirty(index).level, in: tree)
        bytes(copy).copy(bytes(index).view, to: 0)
        dropPage(index)
        return copy
    }

    func dropPage(_ index: Int) {
        guard savepoints.hasFrozen(dirty(index)) else { return memory.free(index) }
        savepoints.superseded.append(index)
    }

    func release(_ pointer: PagePointer) {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return dropPage(index) }
        space.giveUp(pointer.number, birth: pointer.birth, isHeld: savepoints.isAnyOpen)
    }

    func reservePages(_ count: UInt64) throws(BullaError) {
        if space.poolCount < count { try ledger.reservePages(count) }
    }

    func takePage() -> UInt64 { space.takePage() }

    func keep(_ content: ByteView, as pointer: PagePointer) { memory.keep(content, as: pointer) }
}

extension ChangedPages: PageSource {
    var format: PageFormat { pager.format }

    @inline(__always)
    func content(_ pointer: PagePointer, _ kind: PageKind) throws(BullaError) -> ByteView {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return bytes(index).view }
        if pointer.birth == commit { try writer.finish() }
        return try pager.content(pointer, kind)
    }

    /// Does nothing: the lock on the trees keeps other writers from overwriting what this change
    /// reads.
    @inline(__always)
    func checkUnchanged(_ pointer: PagePointer) {}

    func prefetch(_ pointer: PagePointer, lineCount: Int) {
        guard pointer.dirtyIndex(token: dirtyToken) == nil else { return }
        pager.prefetch(pointer, lineCount: lineCount)
    }

    func operate<R: ~Copyable>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        try pager.operate(body)
    }

    func lend<R>(
        _ pointer: PagePointer, _ kind: PageKind, _ body: (ByteView) throws -> R
    ) throws -> R {
        if let index = pointer.dirtyIndex(token: dirtyToken) { return try body(bytes(index).view) }
        if pointer.birth == commit { try writer.finish() }
        return try pager.lend(pointer, kind, body)
    }

    func open(
        _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        if pointer.birth == commit { try writer.finish() }
        try pager.open(pointer, kind, into: content)
    }

    func open(
        _ pointers: [PagePointer], _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError) {
        if pointers.contains(where: { $0.birth == commit }) { try writer.finish() }
        try pager.open(pointers, kind, into: target)
    }

    func defect(_ pointer: PagePointer, _ what: String) -> BullaError {
        pager.defect(pointer, what)
    }

    func pageLimit() throws(BullaError) -> UInt64 { space.pageCount }
}

/// Savepoints.
extension ChangedPages {
    /// A state that the pages can be rolled back to.
    ///
    /// The savepoint freezes the pages that were changed before it: a later change to one of them
    /// is made in a copy. So a rollback reads nothing and cannot fail.
    struct Savepoint {
        /// The enclosing savepoint; 0 if there is none.
        fileprivate let outer: UInt64
        fileprivate let trees: OpenTrees
        fileprivate let space: SpaceKeeper.Mark
        fileprivate let usedCount: Int
        fileprivate let supersededCount: Int
    }

    func beginSavepoint() -> Savepoint {
        let savepoint = Savepoint(
            outer: savepoints.innermost, trees: trees, space: space.mark,
            usedCount: memory.usedCount, supersededCount: savepoints.superseded.count)
        savepoints.count += 1
        savepoints.innermost = savepoints.count
        return savepoint
    }

    /// Keeps what was changed since the savepoint.
    func endSavepoint(_ savepoint: Savepoint) {
        savepoints.innermost = savepoint.outer
        if !savepoints.isAnyOpen { endSavepoints() }
    }

    /// Keeps all changes, and gives up what was held for rollbacks.
    func endSavepoints() {
        savepoints.innermost = 0
        for index in savepoints.superseded { memory.free(index) }
        savepoints.superseded.removeAll(keepingCapacity: true)
        space.endSavepoints()
    }

    /// Undoes what was changed since the savepoint.
    func rollBack(to savepoint: Savepoint) {
        // The rollback frees the numbers of pages that are still being written, so wait for the
        // writes.
        writer.drop()
        memory.freeAll(since: savepoint.usedCount)
        let superseded = savepoints.superseded.count
        savepoints.superseded.removeLast(superseded - savepoint.supersededCount)
        space.rollBack(to: savepoint.space)
        trees.put(backTo: savepoint.trees)
        endSavepoint(savepoint)
    }
}
