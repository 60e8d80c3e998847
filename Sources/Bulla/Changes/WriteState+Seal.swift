internal import BullaCipher
internal import BullaMemory

/// Turning changed pages into sealed ones: early, to save memory, or all of them, for a commit.
extension WriteState {
    /// Makes of the changes a commit's pages, writes them, and says what the commit adds up to.
    ///
    /// Nothing refers to the pages yet. The catalog comes last, as it names the trees' roots.
    func seal() throws(BullaError) -> CommitRecord {
        for index in trees.indices where index != Self.catalog {
            if trees[index].isChanged && !trees[index].isDropped { try putTreeRecord(index) }
        }
        // A caller can commit in the midst of one.
        endSavepoints()
        try settleSpace()
        var writer = try makeWriter()
        let order = pagesInOrder()
        try seal(order.filter { !dirty($0).isCatalog }, &writer)
        try updateTreeRecords()
        try seal(order.filter { dirty($0).isCatalog }, &writer)
        try writer.finish()
        return record()
    }

    /// Lets readers of this process find the commit's pages without opening them.
    ///
    /// To be called when the commit is published. The transaction gives up its pages.
    func keepPages() {
        guard !pager.isPlain else { return sealed.values.forEach(pager.markVerified) }
        var pages: [(frame: Int, pointer: PagePointer)] = []
        pages.reserveCapacity(sealed.count)
        for (index, pointer) in sealed {
            if let frame = memory.giveUp(index) { pages.append((frame, pointer)) }
        }
        pager.keep(
            lent: pages, superseded: freed.map(\.number),
            atOnce: max(sealed.count, freed.count) > WriterMemory.smallPageCount)
    }

    /// Reserves a page for each changed one, and records what was freed.
    ///
    /// Each of the two changes catalog pages, and so asks for more of both. Every turn leaves fewer
    /// catalog pages unchanged, and older frees are looked through but a few times: the turns end.
    private func settleSpace() throws(BullaError) {
        while true {
            try returnPages()
            try recordFreed()
            try reservePages(liveDirtyCount)
            // Reclaiming may have merged catalog pages: what counts is how many there are now.
            let count = liveDirtyCount
            try trimPool(keeping: count)
            if freedRecorded == freed.count, space.returned.isEmpty, liveDirtyCount == count,
                space.poolCount >= count
            {
                return
            }
        }
    }

    private var liveDirtyCount: UInt64 { UInt64(memory.arena.count) }

    private func record() -> CommitRecord {
        var record = base
        record.commit = commit
        record.catalog = trees[Self.catalog].root
        record.pageCount = space.pageCount
        record.window = PageWindow(space.pool)
        record.searchPosition = space.searchPosition
        record.freeCount = space.freeCount
        record.pendingCount = space.pendingCount
        record.treeCount = treeCount
        record.nextTree = nextTree
        record.keyringGeneration = keyringGeneration
        record.log = log
        return record
    }

    private func updateTreeRecords() throws(BullaError) {
        for index in trees.indices where index != Self.catalog {
            if trees[index].isChanged && !trees[index].isDropped { try putTreeRecord(index) }
        }
    }

    /// Changed pages in the order of their keys, those of a level together, lower levels first.
    private func pagesInOrder() -> [Int] {
        var byLevel: [[Int]] = []
        for tree in trees where !tree.isDropped { collect(tree.root.pointer, &byLevel) }
        return byLevel.flatMap { $0 }
    }

    private func collect(_ pointer: PagePointer, _ byLevel: inout [[Int]]) {
        guard let index = pointer.dirtyIndex(token: dirtyToken) else { return }
        let level = dirty(index).level
        if level > 0 {
            let page = page(index)
            for child in 0..<page.count { collect(page.child(child), &byLevel) }
        }
        while byLevel.count <= level { byLevel.append([]) }
        byLevel[level].append(index)
    }

    /// Seals pages, lower levels first, and names them in the pages above them.
    private func seal(
        _ pages: [Int], _ writer: inout SealedWriter
    ) throws(BullaError) {
        var first = 0
        while first < pages.count {
            let level = dirty(pages[first]).level
            let end = pages[first...].firstIndex { dirty($0).level != level } ?? pages.count
            for index in pages[first..<end] {
                if level > 0 { nameChildren(index) }
                checkInvariants(index)
                try writer.add(bytes(index).view, dirty(index).kind, number: space.takePage())
            }
            for (index, pointer) in zip(pages[first..<end], try writer.seal()) {
                sealed[index] = pointer
            }
            first = end
        }
        replaceRoots()
    }

    private func nameChildren(_ index: Int) {
        let page = page(index)
        for child in 0..<page.count {
            guard let dirtyIndex = page.child(child).dirtyIndex(token: dirtyToken) else { continue }
            if let pointer = sealed[dirtyIndex] { editor(index).setChild(child, pointer) }
        }
    }

    private func replaceRoots() {
        for tree in trees.indices {
            guard let index = trees[tree].root.pointer.dirtyIndex(token: dirtyToken),
                let pointer = sealed[index]
            else { continue }
            trees[tree].root.pointer = pointer
        }
    }

    /// Seals pages of the trees early, lowest levels first, when they take more memory than they
    /// may.
    ///
    /// Frozen pages, and the branches above them, stay until their savepoints end. To look for
    /// others with every change would cost more than it gives, so it is done from time to time.
    func relieveMemory(above byteLimit: Int) throws(BullaError) {
        guard memory.arena.count * format.pageByteCount > byteLimit,
            memory.usedCount >= reliefDue
        else { return }
        defer {
            reliefDue = memory.usedCount + dirtyByteLimit / format.pageByteCount / 8
        }
        // A branch can name a frozen page, which is not to be sealed before the savepoint ends.
        let top = openSavepoint == 0 ? PageFormat.heightLimit : 0
        var level = 0
        while memory.arena.count * format.pageByteCount > dirtyByteLimit / 2, level <= top {
            let pages = pagesInOrder().filter {
                !dirty($0).isCatalog && dirty($0).level == level && !isFrozen($0)
            }
            try sealEarly(pages)
            level += 1
        }
    }

    private func sealEarly(_ pages: [Int]) throws(BullaError) {
        guard !pages.isEmpty else { return }
        // A page that could not be written is a changed one as before.
        defer { sealed.removeAll(keepingCapacity: true) }
        try reservePages(UInt64(pages.count))
        var writer = try makeWriter()
        for index in pages {
            try writer.add(bytes(index).view, dirty(index).kind, number: space.takePage())
        }
        for (index, pointer) in zip(pages, try writer.seal()) { sealed[index] = pointer }
        try writer.finish()
        for index in 0..<memory.arena.capacity {
            let page = dirty(index)
            if page.isLive && page.kind == .branch { nameChildren(index) }
        }
        replaceRoots()
        for index in pages { dropPage(index) }
    }
}
