internal import BullaMemory

/// Makes a tree's pages from left to right, from cells, runs of cells and whole subtrees.
///
/// On each level, the *current* page is being filled. The *held* page is the complete one before
/// it; the builder can still join the two, or move cells between them. When a page is full, a new
/// one begins, so cells that are appended in order fill their pages. The cells that replace one old
/// page's cells are a *group*. If a group needed an extra page, the builder may divide the cells of
/// the last two pages evenly between them when the group ends. A page that is then still too empty
/// is joined with the page before it, or carried over into the next group.
///
/// The pages of a level become the cells of the level above, which is made in the same way.
struct TreeBuilder {
    struct Level {
        /// The complete page before the current one.
        var held: Int?
        var current: Int?
        /// Whether the current page was begun because the held one was full.
        var isDivided = false
    }

    let sink: PageSink
    var levels: [Level] = [Level()]
    /// The key that separates the first leaf of a group from the leaf to its left.
    var lower = emptyView

    init(_ sink: PageSink) { self.sink = sink }

    var format: PageFormat { sink.format }

    // MARK: Adding

    /// Adds an entry to the leaves.
    mutating func add(
        _ key: ByteView, word: UInt32, payload: ByteView
    ) throws(BullaError) {
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        let leaf = try page(0, fitting: byteCount, key)
        invariant(mayFollow(key, in: leaf), "entries are added in the order of their keys")
        sink.editor(leaf).insertLeafCell(
            sink.page(leaf).count, key: key, word: word, payload: payload)
    }

    /// Adds entries of a leaf as they are.
    mutating func add(_ source: TreePage, _ range: Range<Int>) throws(BullaError) {
        var next = range.lowerBound
        while next < range.upperBound {
            let leaf = try page(0, fitting: source.cell(next).byteCount, source.key(next))
            invariant(
                mayFollow(source.key(next), in: leaf), "leaves are joined in their keys' order")
            let former = next
            next = sink.editor(leaf).appendRun(source, next..<range.upperBound)
            invariant(next > former, "a cell fits the page that was found for it")
        }
    }

    /// Whether a key may come next in a leaf.
    private func mayFollow(_ key: ByteView, in leaf: Int) -> Bool {
        let page = sink.page(leaf)
        return page.count == 0 || page.key(page.count - 1).compare(key) < 0
    }

    /// Adds a page of the level below to a branch.
    mutating func add(
        _ child: PagePointer, separator: ByteView, level: Int
    ) throws(BullaError) {
        let byteCount = TreePageLayout.branchCellHeader + separator.byteCount
        let branch = try page(level, fitting: byteCount, separator)
        let count = sink.page(branch).count
        // The first cell of a branch has an empty key, which is below every key.
        sink.editor(branch).insertBranchCell(
            count, key: count == 0 ? emptyView : separator, child: child)
    }

    /// Adds pages that a branch names, with everything below them.
    ///
    /// - Parameter first: the key that separates the branch's first child from the page to its
    ///   left.
    mutating func add(
        childrenOf source: TreePage, _ range: Range<Int>, first: ByteView, level: Int
    ) throws(BullaError) {
        var next = range.lowerBound
        while next < range.upperBound {
            let former = next
            if next > 0, level < levels.count, let branch = levels[level].current {
                next = sink.editor(branch).appendRun(source, next..<range.upperBound)
            }
            guard next == former else { continue }
            try add(
                source.child(next), separator: next == 0 ? first : source.key(next), level: level)
            next += 1
        }
    }

    /// The page into which the next cell of a level goes.
    private mutating func page(
        _ level: Int, fitting byteCount: Int, _ key: ByteView
    ) throws(BullaError) -> Int {
        while levels.count <= level { levels.append(Level()) }
        if let current = levels[level].current {
            guard !sink.editor(current).hasRoom(forCell: byteCount) else { return current }
            try closeHeld(level)
            (levels[level].held, levels[level].current) = (current, nil)
            levels[level].isDivided = true
        }
        let page = try sink.make(level: level, separator: separator(level, key))
        levels[level].current = page
        return page
    }

    /// The key that separates a page beginning with `key` from the page to its left.
    private func separator(_ level: Int, _ key: ByteView) -> ByteView {
        guard level == 0 else { return key }
        guard levels[0].isDivided, let held = levels[0].held else { return lower }
        let left = sink.page(held)
        return TreePage.separator(left.key(left.count - 1), key)
    }

    /// Gives a complete page to the level above.
    private mutating func close(_ page: Int, _ level: Int) throws(BullaError) {
        invariant(sink.page(page).count > 0, "a complete page has cells")
        sink.editor(page).lengthenPrefix()
        try add(sink.pointer(page), separator: sink.separator(page), level: level + 1)
        sink.close(page)
    }

    mutating func closeHeld(_ level: Int) throws(BullaError) {
        guard level < levels.count, let held = levels[level].held else { return }
        levels[level].held = nil
        try close(held, level)
    }

    /// Gives all pages of a level to the level above.
    mutating func closeAll(_ level: Int) throws(BullaError) {
        guard level < levels.count else { return }
        try closeHeld(level)
        guard let current = levels[level].current else { return }
        levels[level] = Level()
        try close(current, level)
    }

    /// Completes the tree.
    ///
    /// - Returns: the tree's root and height; no page and 0 if the tree is empty.
    mutating func finish() throws(BullaError) -> (root: PagePointer, height: Int) {
        var level = 0
        while level < levels.count - 1 || levels[level].held != nil {
            try endGroup(level, .appended)
            if level == levels.count - 1, levels[level].current == nil { break }
            try closeAll(level)
            level += 1
        }
        guard let top = levels[level].current ?? levels[level].held else { return (.none, 0) }
        let (root, height) = shrunk(sink.pointer(top), height: level + 1)
        return (try sink.finish(root), height)
    }

    /// The root and the height without those branches at the top that have a single child.
    private func shrunk(_ root: PagePointer, height: Int) -> (root: PagePointer, height: Int) {
        var (root, height) = (root, height)
        while height > 1, let slot = sink.slot(root), sink.page(slot).count == 1 {
            root = sink.page(slot).child(0)
            sink.drop(slot)
            height -= 1
        }
        return (root, height)
    }
}
