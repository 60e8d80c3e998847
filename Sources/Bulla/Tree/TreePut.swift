internal import BullaMemory

extension PageEditing {
    /// Stands the path on the leaf where `key` belongs, every page on the way a changed one.
    ///
    /// - Returns: the leaf, and the entry not below `key`.
    func writableLeaf(
        _ tree: Int, _ key: ByteView
    ) throws(BullaError) -> (leaf: Int, index: Int, isFound: Bool) {
        path.removeAll(keepingCapacity: true)
        if self[rootOf: tree].pointer.isNone { try plantLeaf(tree) }
        let root = self[rootOf: tree]
        try checkHeight(root)
        var level = root.height - 1
        var page = try writable(root.pointer, level: level, in: tree)
        setRoot(tree, .dirty(page, token: dirtyToken), height: root.height)
        while level > 0 {
            let branch = self.page(page)
            let index = branch.childIndex(for: key)
            let child = branch.child(index)
            path.append(EditStep(page: page, index: index))
            level -= 1
            let next = try writable(child, level: level, in: tree)
            if child.dirtyIndex(token: dirtyToken) != next {
                editor(page).setChild(index, .dirty(next, token: dirtyToken))
            }
            page = next
        }
        let (index, isFound) = self.page(page).search(key)
        path.append(EditStep(page: page, index: index))
        return (page, index, isFound)
    }

    private func plantLeaf(_ tree: Int) throws(BullaError) {
        let leaf = try makePage(.leaf, level: 0, in: tree)
        editor(leaf).clear(level: 0)
        setRoot(tree, .dirty(leaf, token: dirtyToken), height: 1)
    }

    /// Stores an entry in place of whatever its key had.
    ///
    /// - Parameters:
    ///   - word: the value's byte count, or the mark of a large one.
    ///   - payload: the value, or the descriptor of a large one.
    func putCell(
        _ tree: Int, _ key: ByteView, word: UInt32, payload: ByteView
    ) throws(BullaError) {
        let (leaf, index, isFound) = try writableLeaf(tree, key)
        let isLarge = word & TreePageLayout.largeMark != 0
        if isFound {
            var budget = VisitBudget(pageCount: try pageLimit())
            try releaseLargeValue(tree, leaf, index, &budget)
            if page(leaf).payload(index).byteCount == payload.byteCount {
                editor(leaf).overwritePayload(index, word: word, payload: payload)
                self[rootOf: tree].largeCount &+= isLarge ? 1 : 0
                return
            }
            editor(leaf).removeCell(index)
        } else {
            self[rootOf: tree].entryCount &+= 1
        }
        self[rootOf: tree].largeCount &+= isLarge ? 1 : 0
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        if editor(leaf).hasRoom(forCell: byteCount) {
            editor(leaf).insertLeafCell(index, key: key, word: word, payload: payload)
        } else {
            try splitLeaf(tree, key: key, word: word, payload: payload)
        }
    }

    /// Gives up the pages of the entry's value, where it has any.
    ///
    /// - Parameter budget: shared by all entries of a call: many of them may claim one value.
    func releaseLargeValue(
        _ tree: Int, _ leaf: Int, _ index: Int, _ budget: inout VisitBudget
    ) throws(BullaError) {
        guard page(leaf).isLarge(index) else { return }
        let value = LargeValue(page(leaf).payload(index))
        try forEachPage(of: value, &budget) { pointer, _ in release(pointer) }
        self[rootOf: tree].largeCount &-= 1
    }

    /// Whether the path's pages from `depth` up are all the last, or all the first, of their
    /// parents.
    private func isPathAtEnd(above depth: Int, last: Bool) -> Bool {
        path[..<depth].allSatisfy { step in
            step.index == (last ? page(step.page).count - 1 : 0)
        }
    }

    // MARK: Splitting

    private func splitLeaf(
        _ tree: Int, key: ByteView, word: UInt32, payload: ByteView
    ) throws(BullaError) {
        let depth = path.count - 1
        let (left, index) = (path[depth].page, path[depth].index)
        let source = copyToScratch(left)
        let count = source.count
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        let split = splitPoint(source, inserting: byteCount, at: index, depth: depth)
        let right = try makePage(.leaf, level: 0, in: tree)
        for (target, range) in [(left, 0..<split), (right, split..<count + 1)] {
            let editor = editor(target)
            editor.clear(level: 0)
            let (before, after) = Self.parts(of: range, around: index)
            editor.append(source, before)
            if range.contains(index) {
                editor.insertLeafCell(page(target).count, key: key, word: word, payload: payload)
            }
            editor.append(source, after)
            editor.lengthenPrefix()
        }
        let separator = TreePage.separator(
            page(left).key(page(left).count - 1), page(right).key(0))
        try insertChild(tree, depth: depth - 1, separator: separator, child: right)
    }

    /// Which of a page's own cells stand in a range of all, counted with a new one at `index`.
    private static func parts(
        of range: Range<Int>, around index: Int
    ) -> (before: Range<Int>, after: Range<Int>) {
        let start = max(range.lowerBound, index + 1) - 1
        return (
            range.lowerBound..<max(range.lowerBound, min(range.upperBound, index)),
            start..<max(range.upperBound - 1, start)
        )
    }

    private func copyToScratch(_ index: Int) -> TreePage {
        memory.pageScratch.copy(bytes(index).view, to: 0)
        return TreePage(
            memory.pageScratch.view.slice(0, format.contentByteCount), kind(of: index))
    }

    /// How many of the page's cells, with the new one among them, go to the left page.
    ///
    /// At either end of the tree the full page stays full, so that loads in order fill their pages.
    private func splitPoint(
        _ source: TreePage, inserting byteCount: Int, at index: Int, depth: Int
    ) -> Int {
        let count = source.count
        if index == count && isPathAtEnd(above: depth, last: true) { return count }
        if index == 0 && isPathAtEnd(above: depth, last: false) { return 1 }
        func size(_ item: Int) -> Int {
            let cell =
                item == index
                ? byteCount : source.cell(item < index ? item : item - 1).byteCount
            return cell + TreePageLayout.slotByteCount
        }
        let total = (0...count).reduce(0) { $0 + size($1) }
        var left = 0
        for item in 0..<count {
            left += size(item)
            if left * 2 >= total { return item + 1 }
        }
        return count
    }

    /// Adds a child right of the one that the path names in the branch at `depth`.
    ///
    /// - Parameter separator: lies in a page below, which stays as it is.
    private func insertChild(
        _ tree: Int, depth: Int, separator: ByteView, child: Int
    ) throws(BullaError) {
        guard depth >= 0 else { return try growRoot(tree, separator, child) }
        let branch = path[depth].page
        let index = path[depth].index + 1
        guard isInOrder(separator, at: index, of: page(branch)) else { throw disorder(tree) }
        let byteCount = TreePageLayout.branchCellHeader + separator.byteCount
        guard editor(branch).hasRoom(forCell: byteCount) else {
            return try splitBranch(tree, depth: depth, separator: separator, child: child)
        }
        editor(branch).insertBranchCell(
            index, key: separator, child: .dirty(child, token: dirtyToken))
    }

    /// Whether a separator belongs where it is to stand: it comes from a page below, whose keys a
    /// file may have put on the wrong side of those above.
    private func isInOrder(_ separator: ByteView, at index: Int, of branch: TreePage) -> Bool {
        let isAbove = index <= 1 || branch.key(index - 1).compare(separator) < 0
        return isAbove && (index >= branch.count || separator.compare(branch.key(index)) < 0)
    }

    private func growRoot(_ tree: Int, _ separator: ByteView, _ right: Int) throws(BullaError) {
        let root = self[rootOf: tree]
        let top = try makePage(.branch, level: root.height, in: tree)
        editor(top).clear(level: root.height)
        editor(top).insertBranchCell(0, key: emptyView, child: root.pointer)
        editor(top).insertBranchCell(1, key: separator, child: .dirty(right, token: dirtyToken))
        setRoot(tree, .dirty(top, token: dirtyToken), height: root.height + 1)
    }

    private func splitBranch(
        _ tree: Int, depth: Int, separator: ByteView, child: Int
    ) throws(BullaError) {
        let (left, index) = (path[depth].page, path[depth].index + 1)
        let level = level(of: left)
        let source = copyToScratch(left)
        let count = source.count
        let byteCount = TreePageLayout.branchCellHeader + separator.byteCount
        let split = splitPoint(source, inserting: byteCount, at: index, depth: depth)
        let right = try makePage(.branch, level: level, in: tree)
        var promoted = emptyView
        for (target, range) in [(left, 0..<split), (right, split..<count + 1)] {
            let editor = editor(target)
            editor.clear(level: level)
            let (before, after) = Self.parts(of: range, around: index)
            editor.append(source, before)
            if range.contains(index) {
                editor.insertBranchCell(
                    page(target).count, key: separator, child: .dirty(child, token: dirtyToken))
            }
            editor.append(source, after)
            if target == right {
                // Its bytes stay where they are when the page forgets them.
                promoted = page(right).key(0)
                editor.dropFirstKey()
            }
            editor.lengthenPrefix()
        }
        try insertChild(tree, depth: depth - 1, separator: promoted, child: right)
    }
}
