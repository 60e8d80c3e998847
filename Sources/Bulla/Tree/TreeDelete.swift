internal import BullaMemory

extension PageEditing {
    /// Removes an entry; `false` where there is none.
    func deleteCell(_ tree: Int, _ key: ByteView) throws(BullaError) -> Bool {
        // Looked up first, so that deleting what is not there changes no page.
        guard try find(self[rootOf: tree], key, { _, _ in true }) ?? false else { return false }
        let (leaf, index, isFound) = try writableLeaf(tree, key)
        guard isFound else { throw disorder(tree) }
        var budget = VisitBudget(pageCount: try pageLimit())
        try removeEntries(tree, leaf, index..<index + 1, &budget)
        return true
    }

    /// Removes every entry of a range, and returns how many there were.
    func deleteRange(_ tree: Int, _ range: KeyRange) throws(BullaError) -> UInt64 {
        let former = self[rootOf: tree].entryCount
        var budget = VisitBudget(pageCount: try pageLimit())
        while let key = try firstKey(tree, in: range) {
            let (leaf, index, isFound) = try writableLeaf(tree, key)
            let end = range.endIndex(in: page(leaf))
            guard isFound, index < end else { throw disorder(tree) }
            try removeEntries(tree, leaf, index..<end, &budget)
        }
        return former &- self[rootOf: tree].entryCount
    }

    /// What was found is not found again on the way that its key says.
    func disorder(_ tree: Int) -> BullaError {
        defect(self[rootOf: tree].pointer, "the tree below it is not in the order of its keys")
    }

    /// A copy of the range's first key, which the next one takes the place of.
    private func firstKey(_ tree: Int, in range: KeyRange) throws(BullaError) -> ByteView? {
        try operate { () throws(BullaError) -> ByteView? in
            var path = TreePath(self[rootOf: tree])
            try range.lower.withTypedView { lower throws(BullaError) in try path.seek(self, lower) }
            while let leaf = path.leaf {
                let page = try treePage(leaf.pointer, level: 0)
                if leaf.index < page.count {
                    guard leaf.index < range.endIndex(in: page) else { return nil }
                    let key = page.key(leaf.index)
                    memory.keyScratch.copy(key, to: 0)
                    return memory.keyScratch.view.slice(0, key.byteCount)
                }
                guard try path.nextLeaf(self, .ascending) else { return nil }
            }
            return nil
        }
    }

    /// Removes entries of the leaf that the path stands on, and what becomes too empty with them.
    private func removeEntries(
        _ tree: Int, _ leaf: Int, _ range: Range<Int>, _ budget: inout VisitBudget
    ) throws(BullaError) {
        for index in range { try releaseLargeValue(tree, leaf, index, &budget) }
        if range.count == page(leaf).count {
            editor(leaf).clear(level: 0)
        } else {
            for index in range.reversed() { editor(leaf).removeCell(index) }
        }
        self[rootOf: tree].entryCount &-= UInt64(range.count)
        try rebalance(tree, depth: path.count - 1)
    }

    /// Mends a page that has become empty or nearly so, and then its parents.
    private func rebalance(_ tree: Int, depth: Int) throws(BullaError) {
        guard depth > 0 else { return shrinkRoot(tree) }
        let index = path[depth].page
        let used = page(index).usedByteCount(contentByteCount: format.contentByteCount)
        guard page(index).count == 0 || used < format.contentByteCount / 4 else { return }
        let isMended =
            page(index).count == 0
            ? removeChild(depth: depth) : try merge(tree, depth: depth, used: used)
        if isMended { try rebalance(tree, depth: depth - 1) }
    }

    private func removeChild(depth: Int) -> Bool {
        let parent = path[depth - 1]
        dropPage(path[depth].page)
        editor(parent.page).removeCell(parent.index)
        return true
    }

    /// Joins the page with a neighbour, where both fit one page.
    private func merge(_ tree: Int, depth: Int, used: Int) throws(BullaError) -> Bool {
        let parent = path[depth - 1]
        let right = parent.index > 0 ? parent.index : 1
        guard right < page(parent.page).count else { return false }
        let neighbour = page(parent.page).child(right == parent.index ? right - 1 : right)
        let level = level(of: path[depth].page)
        let neighbourUsed = try operate { () throws(BullaError) in
            try treePage(neighbour, level: level)
                .usedByteCount(contentByteCount: format.contentByteCount)
        }
        // It stays where it is until its cell is removed.
        let separator = page(parent.page).key(right)
        let room = format.contentByteCount - TreePageLayout.headerByteCount
        // A tenth stays free, or the next insertion would split the page again.
        guard used + neighbourUsed + separator.byteCount <= room * 9 / 10 else { return false }
        let left = try writableChild(tree, parent, right - 1, level: level)
        let gone = try writableChild(tree, parent, right, level: level)
        // Measured again in copies: a stranger may change a plain store's file in between.
        guard usedByteCount(left) + usedByteCount(gone) + separator.byteCount <= room,
            divides(separator, left, gone)
        else {
            throw defect(neighbour, "its keys are not on its side of their separator")
        }
        join(left, gone, separator: separator)
        dropPage(gone)
        editor(parent.page).removeCell(right)
        return true
    }

    private func usedByteCount(_ index: Int) -> Int {
        page(index).usedByteCount(contentByteCount: format.contentByteCount)
    }

    /// Whether a separator stands between the keys on its sides, which a file may get wrong.
    private func divides(_ separator: ByteView, _ left: Int, _ right: Int) -> Bool {
        let (lower, upper) = (page(left), page(right))
        let first = kind(of: right) == .branch ? 1 : 0
        let isAbove = lower.count == 0 || lower.key(lower.count - 1).compare(separator) < 0
        let isBelow = upper.count <= first || upper.key(first).compare(separator) >= first
        return isAbove && isBelow
    }

    private func writableChild(
        _ tree: Int, _ parent: EditStep, _ index: Int, level: Int
    ) throws(BullaError) -> Int {
        let child = try writable(page(parent.page).child(index), level: level, in: tree)
        editor(parent.page).setChild(index, .dirty(child, token: dirtyToken))
        return child
    }

    /// Appends all of `right` to `left`.
    private func join(_ left: Int, _ right: Int, separator: ByteView) {
        let (target, source) = (editor(left), page(right))
        var first = 0
        if kind(of: left) == .branch {
            target.insertBranchCell(page(left).count, key: separator, child: source.child(0))
            first = 1
        }
        target.append(source, first..<source.count)
        target.lengthenPrefix()
    }

    /// Takes a root away that has one child, or nothing.
    private func shrinkRoot(_ tree: Int) {
        while let index = self[rootOf: tree].pointer.dirtyIndex(token: dirtyToken) {
            let root = page(index)
            if root.count == 0 {
                setRoot(tree, .none, height: 0)
            } else if kind(of: index) == .branch && root.count == 1 {
                setRoot(tree, root.child(0), height: self[rootOf: tree].height - 1)
            } else {
                return
            }
            dropPage(index)
        }
    }

    /// Gives up every page of a tree.
    func releaseAll(_ tree: Int) throws(BullaError) {
        let root = self[rootOf: tree]
        guard !root.pointer.isNone else { return }
        try checkHeight(root)
        var budget = VisitBudget(pageCount: try pageLimit())
        try releaseAll(root.pointer, root.height - 1, hasLarge: root.largeCount > 0, &budget)
        self[rootOf: tree] = .empty(number: root.number)
    }

    private func releaseAll(
        _ pointer: PagePointer, _ level: Int, hasLarge: Bool, _ budget: inout VisitBudget
    ) throws(BullaError) {
        try budget.spend(pointer, self)
        // A leaf without large values need not be read to be given up.
        if level > 0 || hasLarge {
            let (children, values) = try parts(pointer, level: level)
            for child in children {
                try releaseAll(child, level - 1, hasLarge: hasLarge, &budget)
            }
            for value in values {
                try forEachPage(of: value, &budget) { page, _ in release(page) }
            }
        }
        release(pointer)
    }

    private func parts(
        _ pointer: PagePointer, level: Int
    ) throws(BullaError) -> ([PagePointer], [LargeValue]) {
        try operate { () throws(BullaError) in
            let page = try treePage(pointer, level: level)
            try checkBirths(page, pointer)
            guard level == 0 else { return ((0..<page.count).map { page.child($0) }, []) }
            let large = (0..<page.count).filter { page.isLarge($0) }
            return ([], large.map { LargeValue(page.payload($0)) })
        }
    }
}
