internal import BullaMemory

/// Deletes entries, and merges pages that are left nearly empty.
extension TreeEditor {
    /// Removes an entry; `false` if the key is missing.
    func delete(_ key: ByteView) throws(BullaError) -> Bool {
        // Look the key up first, so that deleting a missing key changes no page.
        guard try pages.find(root, key, { _, _ in true }) ?? false else { return false }
        let (leaf, index, isFound) = try writableLeaf(for: key)
        guard isFound else { throw disorder() }
        var budget = VisitBudget(pageCount: try pages.pageLimit())
        try removeEntries(leaf, index..<index + 1, &budget)
        return true
    }

    /// Removes every entry of a range, and returns how many it removed.
    func deleteRange(_ range: KeyRange) throws(BullaError) -> UInt64 {
        let former = root.entryCount
        var budget = VisitBudget(pageCount: try pages.pageLimit())
        while let key = try firstKey(in: range) {
            let (leaf, index, isFound) = try writableLeaf(for: key)
            let end = range.endIndex(in: pages.page(leaf))
            guard isFound, index < end else { throw disorder() }
            try removeEntries(leaf, index..<end, &budget)
        }
        return former &- root.entryCount
    }

    /// Copies the tree's first key in the range; the next call overwrites the copy.
    private func firstKey(in range: KeyRange) throws(BullaError) -> ByteView? {
        try pages.operate { () throws(BullaError) -> ByteView? in
            var path = TreePath(root)
            try range.lower.withTypedView { lower throws(BullaError) in
                try path.seek(pages, lower)
            }
            while let leaf = path.leaf {
                let page = try pages.treePage(leaf.pointer, level: 0)
                if leaf.index < page.count {
                    guard leaf.index < range.endIndex(in: page) else { return nil }
                    let key = page.key(leaf.index)
                    pages.memory.keyScratch.copy(key, to: 0)
                    return pages.memory.keyScratch.view.slice(0, key.byteCount)
                }
                guard try path.nextLeaf(pages, .ascending) else { return nil }
            }
            return nil
        }
    }

    /// Removes entries of the leaf on the path, and then removes or merges pages that are left
    /// nearly empty.
    private func removeEntries(
        _ leaf: Int, _ range: Range<Int>, _ budget: inout VisitBudget
    ) throws(BullaError) {
        for index in range { try releaseLargeValue(leaf, index, &budget) }
        if range.count == pages.page(leaf).count {
            pages.editor(leaf).clear(level: 0)
        } else {
            for index in range.reversed() { pages.editor(leaf).removeCell(index) }
        }
        root.entryCount &-= UInt64(range.count)
        try rebalance(depth: pages.path.count - 1)
    }

    /// Removes the page at the given depth of the path if it is empty, or merges it if it is nearly
    /// empty, and then does the same for its parent.
    private func rebalance(depth: Int) throws(BullaError) {
        guard depth > 0 else { return shrinkRoot() }
        let page = pages.page(pages.path[depth].page)
        let contentByteCount = pages.format.contentByteCount
        let used = page.usedByteCount(contentByteCount: contentByteCount)
        guard page.count == 0 || used < contentByteCount / 4 else { return }
        let isMended =
            page.count == 0 ? removeChild(depth: depth) : try merge(depth: depth, used: used)
        if isMended { try rebalance(depth: depth - 1) }
    }

    private func removeChild(depth: Int) -> Bool {
        let parent = pages.path[depth - 1]
        pages.dropPage(pages.path[depth].page)
        pages.editor(parent.page).removeCell(parent.index)
        return true
    }

    /// Merges the page at the given depth of the path with a neighbour; `false` if it has no
    /// neighbour, or if the two would fill more than nine tenths of a page.
    private func merge(depth: Int, used: Int) throws(BullaError) -> Bool {
        let parent = pages.path[depth - 1]
        let right = parent.index > 0 ? parent.index : 1
        guard right < pages.page(parent.page).count else { return false }
        let neighbour = pages.page(parent.page).child(right == parent.index ? right - 1 : right)
        let level = pages.level(of: pages.path[depth].page)
        let neighbourUsed = try pages.operate { () throws(BullaError) in
            try pages.treePage(neighbour, level: level)
                .usedByteCount(contentByteCount: pages.format.contentByteCount)
        }
        // This view stays valid, because the separator's bytes stay in place until its cell is
        // removed.
        let separator = pages.page(parent.page).key(right)
        let room = pages.format.contentByteCount - TreePageLayout.headerByteCount
        // Leave a tenth of the merged page free, because otherwise the next insertion would split
        // it again.
        guard used + neighbourUsed + separator.byteCount <= room * 9 / 10 else { return false }
        let left = try writableChild(parent, right - 1, level: level)
        let gone = try writableChild(parent, right, level: level)
        // Measure again in the copies, because another program may have changed a plain store's
        // file since the first measurement.
        guard usedByteCount(left) + usedByteCount(gone) + separator.byteCount <= room,
            divides(separator, left, gone)
        else {
            throw pages.defect(
                neighbour, "a separator does not divide its keys from its neighbour's")
        }
        join(left, gone, separator: separator)
        pages.dropPage(gone)
        pages.editor(parent.page).removeCell(right)
        return true
    }

    private func usedByteCount(_ index: Int) -> Int {
        pages.page(index).usedByteCount(contentByteCount: pages.format.contentByteCount)
    }

    /// Whether a separator lies between the keys on its two sides, which need not be so in a forged
    /// file.
    private func divides(_ separator: ByteView, _ left: Int, _ right: Int) -> Bool {
        let (lower, upper) = (pages.page(left), pages.page(right))
        let first = pages.kind(of: right) == .branch ? 1 : 0
        let isAbove = lower.count == 0 || lower.key(lower.count - 1).compare(separator) < 0
        // A leaf may begin with the separator itself. A branch may not, because splitting a branch
        // moves the separator from the branch to its parent.
        let order = upper.count <= first ? 1 : upper.key(first).compare(separator)
        let isBelow = order > 0 || order == 0 && first == 0
        return isAbove && isBelow
    }

    private func writableChild(
        _ parent: EditStep, _ index: Int, level: Int
    ) throws(BullaError) -> Int {
        let child = try pages.writable(pages.page(parent.page).child(index), level: level, in: tree)
        pages.editor(parent.page).setChild(index, pointer(to: child))
        return child
    }

    /// Appends all of `right` to `left`.
    private func join(_ left: Int, _ right: Int, separator: ByteView) {
        let (target, source) = (pages.editor(left), pages.page(right))
        var first = 0
        if pages.kind(of: left) == .branch {
            target.insertBranchCell(pages.page(left).count, key: separator, child: source.child(0))
            first = 1
        }
        target.append(source, first..<source.count)
        target.lengthenPrefix()
    }

    /// Removes a root that has only one child, or none.
    private func shrinkRoot() {
        while let index = root.pointer.dirtyIndex(token: pages.dirtyToken) {
            let page = pages.page(index)
            if page.count == 0 {
                setRoot(.none, height: 0)
            } else if pages.kind(of: index) == .branch && page.count == 1 {
                setRoot(page.child(0), height: root.height - 1)
            } else {
                return
            }
            pages.dropPage(index)
        }
    }
}
