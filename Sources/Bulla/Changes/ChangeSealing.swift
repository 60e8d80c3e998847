internal import BullaCipher
internal import BullaMemory

/// Seals changed pages: some of them early, to save memory, or all of them, for a commit.
struct ChangeSealing {
    let change: TreeChange

    private var pages: ChangedPages { change.pages }
    private var memory: WriterMemory { pages.memory }

    /// Seals and writes the changed pages, and returns the commit's record.
    ///
    /// Nothing in the file refers to the pages yet. The catalog is sealed last, because it names
    /// the trees' roots.
    func seal() throws(BullaError) -> CommitRecord {
        try updateTreeRecords()
        // Some savepoints may still be open: a caller can commit inside one.
        pages.endSavepoints()
        try settleSpace()
        var writer = try pages.writer.take()
        let order = pagesInOrder()
        try seal(order.filter { !memory.dirty($0).isCatalog }, &writer)
        try updateTreeRecords()
        try seal(order.filter { memory.dirty($0).isCatalog }, &writer)
        try writer.finish()
        return record()
    }

    /// Caches the commit's pages, so that readers in this process need not open them.
    ///
    /// Call it after the commit is published. The transaction gives its pages to the cache.
    func keepPages() {
        let (sealed, space) = (change.sealed, pages.space)
        let changed = sealed.map { MadePage(pointer: $0.value, frame: memory.giveUp($0.key)) }
        pages.pager.keep(
            changed + memory.giveUpMerged(), superseded: space.freed.map(\.number),
            atOnce: max(sealed.count, space.freed.count) > WriterMemory.smallPageCount)
    }

    /// Reserves a page of the file for each changed page, and records the freed pages.
    ///
    /// Both steps change catalog pages, and so need more pages and free more. The loop ends,
    /// because each round leaves fewer catalog pages unchanged, and the loop looks only a few times
    /// for pages that older commits freed.
    private func settleSpace() throws(BullaError) {
        while true {
            let (ledger, space) = (pages.ledger, pages.space)
            try ledger.returnPages()
            try ledger.recordFreed()
            try ledger.reservePages(liveDirtyCount)
            // Reserving pages can merge catalog pages, so count the changed pages again.
            let count = liveDirtyCount
            try ledger.trimPool(keeping: count)
            if space.isRecorded, liveDirtyCount == count, space.poolCount >= count { return }
        }
    }

    private var liveDirtyCount: UInt64 { UInt64(memory.arena.count) }

    private func record() -> CommitRecord {
        var record = change.base
        record.commit = change.commit
        record.catalog = pages.trees[OpenTrees.catalog].root
        pages.space.describe(&record)
        record.treeCount = change.treeCount
        record.nextTree = change.nextTree
        record.log = change.log
        return record
    }

    private func updateTreeRecords() throws(BullaError) {
        for tree in pages.trees.named {
            let (isChanged, isDropped) = (pages.trees[tree].isChanged, pages.trees[tree].isDropped)
            if isChanged && !isDropped { try change.putTreeRecord(tree) }
        }
    }

    /// The changed pages by level, the lowest level first, and in key order within a level.
    private func pagesInOrder() -> [Int] {
        var byLevel: [[Int]] = []
        for tree in pages.trees.all where !tree.isDropped { collect(tree.root.pointer, &byLevel) }
        return byLevel.flatMap { $0 }
    }

    private func collect(_ pointer: PagePointer, _ byLevel: inout [[Int]]) {
        guard let index = pointer.dirtyIndex(token: pages.dirtyToken) else { return }
        let level = memory.dirty(index).level
        if level > 0 {
            let page = pages.page(index)
            for child in 0..<page.count { collect(page.child(child), &byLevel) }
        }
        while byLevel.count <= level { byLevel.append([]) }
        byLevel[level].append(index)
    }

    /// Seals pages, lower levels first, and puts their pointers into the pages above them.
    private func seal(
        _ list: [Int], _ writer: inout PageSealer
    ) throws(BullaError) {
        var first = 0
        while first < list.count {
            let level = memory.dirty(list[first]).level
            let end = list[first...].firstIndex { memory.dirty($0).level != level } ?? list.count
            for index in list[first..<end] {
                if level > 0 { nameChildren(index) }
                checkInvariants(index)
                try add(index, to: &writer)
            }
            for (index, pointer) in zip(list[first..<end], try writer.seal()) {
                change.sealed[index] = pointer
            }
            first = end
        }
        replaceRoots()
    }

    private func add(_ index: Int, to writer: inout PageSealer) throws(BullaError) {
        try writer.add(
            pages.bytes(index).view, memory.dirty(index).kind, number: pages.takePage())
    }

    /// Checks what must hold for a changed page before it is sealed.
    private func checkInvariants(_ index: Int) {
        let (dirty, token) = (memory.dirty(index), pages.dirtyToken)
        invariant(dirty.isLive, "a page that is sealed is in use")
        pages.page(index).checkInvariants(
            dirty.kind, level: dirty.level, birth: change.commit,
            contentByteCount: pages.format.contentByteCount,
            isChanged: { $0.dirtyIndex(token: token) != nil })
    }

    private func nameChildren(_ index: Int) {
        let page = pages.page(index)
        for child in 0..<page.count {
            let dirtyIndex = page.child(child).dirtyIndex(token: pages.dirtyToken)
            if let dirtyIndex, let pointer = change.sealed[dirtyIndex] {
                pages.editor(index).setChild(child, pointer)
            }
        }
    }

    private func replaceRoots() {
        for tree in 0..<pages.trees.count {
            let root = pages.trees[tree].root.pointer
            guard let index = root.dirtyIndex(token: pages.dirtyToken),
                let pointer = change.sealed[index]
            else { continue }
            pages.trees[tree].root.pointer = pointer
        }
    }

    /// Seals pages of the trees early, lowest levels first, if changed pages exceed a memory limit.
    ///
    /// While a savepoint is open, the frozen pages (which a rollback may restore) and all branches
    /// stay unsealed. A search for pages to seal would cost more than it saves if it ran at each
    /// change, so the writer searches only from time to time.
    func relieveMemory(above byteLimit: Int) throws(BullaError) {
        let (pageByteCount, limit) = (pages.format.pageByteCount, change.dirtyByteLimit)
        guard memory.arena.count * pageByteCount > byteLimit,
            memory.usedCount >= change.reliefDue
        else { return }
        defer { change.reliefDue = memory.usedCount + limit / pageByteCount / 8 }
        // A branch can name a frozen page, which must not be sealed before its savepoint ends. So
        // while a savepoint is open, seal no branches.
        let top = pages.savepoints.isAnyOpen ? 0 : PageFormat.heightLimit
        var level = 0
        while memory.arena.count * pageByteCount > limit / 2, level <= top {
            let list = pagesInOrder().filter {
                let page = memory.dirty($0)
                return !page.isCatalog && page.level == level && !pages.savepoints.hasFrozen(page)
            }
            try sealEarly(list)
            level += 1
        }
    }

    private func sealEarly(_ list: [Int]) throws(BullaError) {
        guard !list.isEmpty else { return }
        // If a write fails, the pages still count as changed. So forget their new pointers in that
        // case, too.
        defer { change.sealed.removeAll(keepingCapacity: true) }
        try pages.reservePages(UInt64(list.count))
        var writer = try pages.writer.take()
        for index in list { try add(index, to: &writer) }
        for (index, pointer) in zip(list, try writer.seal()) { change.sealed[index] = pointer }
        try writer.finish()
        for index in 0..<memory.arena.capacity {
            let page = memory.dirty(index)
            if page.isLive && page.kind == .branch { nameChildren(index) }
        }
        replaceRoots()
        for index in list { pages.dropPage(index) }
    }
}
