internal import BullaMemory

/// Merges changes into a tree in key order, and makes each new page only once.
///
/// The tree that it reads stays as it is. The merge makes new pages in place of the changed ones
/// and of the branches above them, and keeps the pointers to subtrees in which nothing changes. It
/// builds a tree from nothing in the same way.
///
/// The merge trusts nothing in the tree. It proves that every page it reads is sound and lies
/// between the separators above it, and reads no more pages than the file has. A failed merge
/// leaves the tree as it was; the caller discards the pages that were written by then.
///
/// - Complexity: one pass over the touched pages; a fixed number of pages in memory, whatever the
///   tree's size and the number of changes.
struct TreeMerge<Changes: SortedChanges> {
    /// Where the merge stands in a branch.
    private struct Step {
        var page: TreePage
        var bounds: KeyBounds
        /// The child into which changes are being merged.
        var index = 0
        /// How many children the merge has dealt with: they are in the new tree, or gone.
        var doneCount = 0
        var isChanged = false
    }

    let pager: Pager
    let exchange: any PageExchange
    private(set) var root: TreeRoot
    private(set) var changes: Changes
    private(set) var builder: TreeBuilder
    private var sink: PageSink { builder.sink }
    private var budget: VisitBudget
    /// Room for one page of each level, and for one neighbour.
    private let buffers: ScratchBuffer
    /// For each buffer, whether its page came from memory.
    private var isInMemory: [Bool]
    /// The merge's place in the branch of each level.
    private var steps: [Step] = []
    /// How the last changed leaf was filled.
    private var lastFill = TreeBuilder.GroupFill.scattered

    /// - Parameters:
    ///   - token: random, so that no pointer in the file can pass for one to a page in memory.
    init(
        _ root: TreeRoot, _ changes: Changes, _ pager: Pager, _ exchange: any PageExchange,
        token: UInt64
    ) throws(BullaError) {
        self.pager = pager
        self.exchange = exchange
        self.root = root
        self.changes = changes
        if !root.pointer.isNone { try pager.checkHeight(root) }
        budget = VisitBudget(pageCount: try pager.pageLimit())
        buffers = try Buffer.make((root.height + 1) * pager.format.pageByteCount)
        isInMemory = [Bool](repeating: false, count: root.height + 1)
        builder = TreeBuilder(try PageSink(pager, exchange, token: token))
        let nothing = Step(page: TreePage(emptyView, .branch), bounds: KeyBounds())
        steps = [Step](repeating: nothing, count: root.height)
    }

    /// Merges the changes from the current one to the last, and returns the new root.
    ///
    /// - Throws: `corrupted`, with the page's number, if the tree is not sound; `full`, `io`.
    mutating func run() throws(BullaError) -> TreeRoot {
        guard !root.pointer.isNone else { return try build() }
        guard try visit(root.pointer, root.height - 1, KeyBounds()) else { return root }
        return try finish()
    }

    private mutating func build() throws(BullaError) -> TreeRoot {
        while changes.isOnEntry { try apply(isFound: false) }
        return try finish()
    }

    private mutating func finish() throws(BullaError) -> TreeRoot {
        let (pointer, height) = try builder.finish()
        (root.pointer, root.height) = (pointer, height)
        return root
    }

    private func hasChange(below bounds: KeyBounds) -> Bool {
        guard changes.isOnEntry else { return false }
        guard let upper = bounds.upper else { return true }
        return changes.key.compare(upper) < 0
    }

    // MARK: Walking

    /// Merges the changes (at least one) that belong in or below a page; `false` if none of them
    /// changed anything.
    private mutating func visit(
        _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds
    ) throws(BullaError) -> Bool {
        let page = try open(pointer, level, bounds, into: level)
        return level == 0
            ? try mergeLeaf(page, pointer, bounds)
            : try mergeBranch(page, pointer, level, bounds)
    }

    /// Copies a page, and verifies that it is sound and in its place.
    private mutating func open(
        _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds, into buffer: Int
    ) throws(BullaError) -> TreePage {
        try budget.countVisit(pointer, pager)
        let kind: PageKind = level == 0 ? .leaf : .branch
        let bytes = buffers.bytes.slice(
            buffer * pager.format.pageByteCount, pager.format.contentByteCount)
        let origin = try pager.copy(pointer, kind, into: bytes)
        isInMemory[buffer] = origin != .file
        let page = TreePage(bytes.view, kind)
        try pager.checkLevel(page, pointer, kind, level)
        if origin != .writer { try pager.checkStructure(page, pointer) }
        guard page.namesNoPage(youngerThan: pointer.birth) else {
            throw pager.namesYounger(pointer)
        }
        let first = level > 0 ? 1 : 0
        guard
            page.count == first
                || bounds.contains(page.key(first)) && bounds.contains(page.key(page.count - 1))
        else { throw pager.defect(pointer, "its keys are not between their separators") }
        return page
    }

    /// Gives up the page that a buffer holds, now that the page's cells are in the new tree.
    private func release(_ pointer: PagePointer, from buffer: Int) {
        if isInMemory[buffer] { sink.keepCount += 1 }
        exchange.release(pointer)
    }

    private mutating func mergeBranch(
        _ page: TreePage, _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds
    ) throws(BullaError) -> Bool {
        steps[level] = Step(page: page, bounds: bounds)
        while hasChange(below: bounds) {
            let index = page.childIndex(for: changes.key)
            invariant(index >= steps[level].doneCount, "a merge passes a branch from left to right")
            steps[level].index = index
            if try visit(page.child(index), level - 1, bounds.child(index, of: page)) {
                steps[level].doneCount = index + 1
            }
        }
        guard steps[level].isChanged else { return false }
        let isAtEnd = steps[level].doneCount == page.count
        try keepChildren(level, upTo: page.count)
        release(pointer, from: level)
        for lower in 0..<level { try builder.closeHeld(lower) }
        try builder.endGroup(level, isAtEnd ? lastFill : .scattered)
        return true
    }

    /// Adds to the new tree everything to the left of the leaf that is about to change, and marks
    /// the branches above that leaf as changed.
    private mutating func beginChange() throws(BullaError) {
        for level in stride(from: root.height - 1, to: 0, by: -1) {
            try keepChildren(level, upTo: steps[level].index)
            steps[level].isChanged = true
        }
    }

    /// Adds unchanged children of a branch to the new tree, from the first that has not been dealt
    /// with yet.
    private mutating func keepChildren(_ level: Int, upTo end: Int) throws(BullaError) {
        let step = steps[level]
        guard step.doneCount < end else { return }
        steps[level].doneCount = end
        for lower in 0..<level - 1 { try builder.closeAll(lower) }
        try builder.endGroup(level - 1, .scattered)
        var next = step.doneCount
        while next < end, builder.isShort(level - 1), try absorb(next, of: step, level) {
            next += 1
        }
        try builder.closeAll(level - 1)
        try builder.add(
            childrenOf: step.page, next..<end, first: step.bounds.lower ?? emptyView, level: level)
    }

    /// Joins an unchanged child with the page before it, which is too empty; `false` if they do not
    /// fit in one page.
    private mutating func absorb(
        _ index: Int, of step: Step, _ level: Int
    ) throws(BullaError) -> Bool {
        let (pointer, bounds) = (step.page.child(index), step.bounds.child(index, of: step.page))
        guard let former = builder.levels[level - 1].current else { return false }
        let page = try open(pointer, level - 1, bounds, into: root.height)
        let used = page.usedByteCount(contentByteCount: pager.format.contentByteCount)
        let lower = bounds.lower ?? emptyView
        guard builder.fits(former, and: used, lower) else { return false }
        if level == 1 {
            try builder.add(page, 0..<page.count)
        } else {
            try builder.add(childrenOf: page, 0..<page.count, first: lower, level: level - 1)
        }
        release(pointer, from: root.height)
        try builder.endGroup(level - 1, .scattered)
        return true
    }

    private mutating func mergeLeaf(
        _ page: TreePage, _ pointer: PagePointer, _ bounds: KeyBounds
    ) throws(BullaError) -> Bool {
        skipSaid(page, bounds)
        guard hasChange(below: bounds) else { return false }
        try beginChange()
        builder.lower = bounds.lower ?? emptyView
        var (done, isExtended) = (0, true)
        while hasChange(below: bounds) {
            let (index, isFound) = page.search(changes.key)
            page.checkSearch(changes.key, index, isFound)
            invariant(index >= done, "a merge passes a leaf from left to right")
            try builder.add(page, done..<index)
            if isFound { try giveUpValue(page, index) }
            isExtended = isExtended && (isFound || index == page.count)
            done = isFound ? index + 1 : index
            try apply(isFound: isFound)
        }
        try builder.add(page, done..<page.count)
        release(pointer, from: 0)
        lastFill = !isExtended ? .scattered : bounds.upper == nil ? .appended : .extended
        try builder.endGroup(0, lastFill)
        return true
    }

    /// Skips the changes that a leaf contains already, up to the first that it lacks.
    ///
    /// An earlier checkpoint may have merged some of the changes in a half of the log already.
    private mutating func skipSaid(_ page: TreePage, _ bounds: KeyBounds) {
        while hasChange(below: bounds), says(page) { changes.moveToNext() }
    }

    private func says(_ page: TreePage) -> Bool {
        let (index, isFound) = page.search(changes.key)
        return switch changes.change {
        case .tombstone?: !isFound || PlantedBug.isPlanted(.tombstoneLost)
        case .put(let value)?: isFound && !page.isLarge(index) && page.payload(index) == value
        case nil: false
        }
    }

    /// Applies the current change, which replaces the key's former entry, and moves to the next.
    private mutating func apply(isFound: Bool) throws(BullaError) {
        invariant(changes.isOnEntry, "a change is merged while there is one")
        if isFound { root.entryCount &-= 1 }
        if case .put(let value)? = changes.change { try put(changes.key, value) }
        changes.moveToNext()
    }

    private mutating func put(_ key: ByteView, _ value: ByteView) throws(BullaError) {
        guard key.byteCount >= 1, key.byteCount <= pager.format.keyByteLimit else {
            throw BullaError(
                .corrupted,
                "merge changes into \(pager.file.path): a key has \(key.byteCount) bytes, "
                    + "expected 1 to \(pager.format.keyByteLimit)")
        }
        root.entryCount &+= 1
        let cell =
            TreePageLayout.slotByteCount + TreePageLayout.leafCellHeader + key.byteCount
            + value.byteCount
        guard cell > pager.format.cellByteLimit else {
            return try builder.add(key, word: UInt32(value.byteCount), payload: value)
        }
        root.largeCount &+= 1
        let large = try sink.write(value)
        try MutableByteView.withTemporary(byteCount: LargeValue.descriptorByteCount) {
            bytes throws(BullaError) in
            large.write(bytes)
            try builder.add(key, word: TreePageLayout.largeMark, payload: bytes.view)
        }
    }

    /// Gives up the pages of an entry's value, if the value has pages of its own.
    private mutating func giveUpValue(_ page: TreePage, _ index: Int) throws(BullaError) {
        guard page.isLarge(index) else { return }
        root.largeCount &-= 1
        let exchange = exchange
        try pager.forEachPage(of: LargeValue(page.payload(index)), &budget) { pointer, _ in
            exchange.release(pointer)
        }
    }
}
