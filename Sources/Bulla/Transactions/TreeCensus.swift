internal import BullaMemory

/// Walks over a tree and measures it.
struct TreeCensus<Source: PageSource> {
    let source: Source
    let root: TreeRoot
    /// Called before each page is read; an error ends the walk.
    let checkUse: (() throws(BullaError) -> Void)?
    private var budget: VisitBudget
    private var usedByteCount = 0
    private var counts = TreeStatistics()

    /// - Parameter pageLimit: the maximum number of pages that the tree can have.
    init(
        _ source: Source, _ root: TreeRoot, pageLimit: UInt64,
        checkUse: (() throws(BullaError) -> Void)? = nil
    ) {
        self.source = source
        self.root = root
        self.checkUse = checkUse
        budget = VisitBudget(pageCount: pageLimit)
    }

    mutating func run() throws(BullaError) -> TreeStatistics {
        counts.entryCount = Int(clamping: root.entryCount)
        guard !root.pointer.isNone else { return counts }
        try source.checkHeight(root)
        counts.height = root.height
        try visit(root.pointer, level: root.height - 1)
        let pages = counts.leafPageCount + counts.branchPageCount
        let room = Double(pages) * Double(source.format.contentByteCount)
        counts.fill = Double(usedByteCount) / room
        return counts
    }

    /// Visits a page and the pages below it.
    ///
    /// The tree's height, which was checked, bounds the recursion.
    private mutating func visit(_ pointer: PagePointer, level: Int) throws(BullaError) {
        try budget.countVisit(pointer, source)
        try checkUse?()
        for child in try look(at: pointer, level: level) { try visit(child, level: level - 1) }
    }

    /// Counts a page, and returns pointers to its children.
    private mutating func look(
        at pointer: PagePointer, level: Int
    ) throws(BullaError) -> [PagePointer] {
        var (counts, used) = (counts, usedByteCount)
        let children = try source.operate { () throws(BullaError) -> [PagePointer] in
            let page = try source.treePage(pointer, level: level)
            guard page.count > 0 else { throw source.defect(pointer, "it holds nothing") }
            let room = source.format.contentByteCount
            used += min(max(page.usedByteCount(contentByteCount: room), 0), room)
            guard level == 0 else { return (0..<page.count).map { page.child($0) } }
            counts.add(page, source.format)
            return []
        }
        if level > 0 { counts.branchPageCount += 1 } else { counts.leafPageCount += 1 }
        (self.counts, usedByteCount) = (counts, used)
        return children
    }
}

extension TreeStatistics {
    /// Adds the lengths of a leaf's keys and values, and the pages of its large values.
    fileprivate mutating func add(_ page: TreePage, _ format: PageFormat) {
        for index in 0..<page.count {
            keyByteCount.saturate(adding: page.keyByteCount(index))
            if page.isLarge(index) {
                add(LargeValue(page.payload(index)), format)
            } else {
                valueByteCount.saturate(adding: page.payload(index).byteCount)
            }
        }
    }

    /// Computes the number of a large value's pages from its length, which works because each page
    /// is full before the next one begins.
    private mutating func add(_ value: LargeValue, _ format: PageFormat) {
        largeValueCount += 1
        let byteCount = Int(clamping: value.byteCount)
        valueByteCount.saturate(adding: byteCount)
        largeValueByteCount.saturate(adding: byteCount)
        var pages = Int(clamping: value.pageCount(format))
        valuePageCount.saturate(adding: pages)
        guard value.height > 0 else { return }
        let fanOut = LargeValue.fanOut(format)
        repeat {
            pages = pages / fanOut + (pages % fanOut == 0 ? 0 : 1)
            valueIndexPageCount.saturate(adding: pages)
        } while pages > 1
    }
}
