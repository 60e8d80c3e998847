internal import BullaMemory

/// Puts entries, and splits full pages.
extension TreeEditor {
    /// Stores a value in the leaf if it fits, otherwise in pages of its own.
    func put(_ key: ByteView, _ value: ByteView) throws(BullaError) {
        let cell =
            TreePageLayout.slotByteCount + TreePageLayout.leafCellHeader
            + key.byteCount + value.byteCount
        guard cell > pages.format.cellByteLimit else {
            return try putCell(key, word: UInt32(value.byteCount), payload: value)
        }
        var writer = try LargeValueWriter(pages)
        try writer.append(value)
        try putLarge(key, try writer.finish())
    }

    func putLarge(_ key: ByteView, _ value: LargeValue) throws(BullaError) {
        try MutableByteView.withTemporary(byteCount: LargeValue.descriptorByteCount) {
            bytes throws(BullaError) in
            value.write(bytes)
            try putCell(key, word: TreePageLayout.largeMark, payload: bytes.view)
        }
    }

    /// Stores an entry, and replaces any former value of its key.
    ///
    /// - Parameters:
    ///   - word: the value's byte count, or the mark of a large value.
    ///   - payload: the value, or the descriptor of a large value.
    func putCell(_ key: ByteView, word: UInt32, payload: ByteView) throws(BullaError) {
        let (leaf, index, isFound) = try writableLeaf(for: key)
        let isLarge = word & TreePageLayout.largeMark != 0
        if isFound {
            var budget = VisitBudget(pageCount: try pages.pageLimit())
            try releaseLargeValue(leaf, index, &budget)
            if pages.page(leaf).payload(index).byteCount == payload.byteCount {
                pages.editor(leaf).overwritePayload(index, word: word, payload: payload)
                root.largeCount &+= isLarge ? 1 : 0
                return
            }
            pages.editor(leaf).removeCell(index)
        } else {
            root.entryCount &+= 1
        }
        root.largeCount &+= isLarge ? 1 : 0
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        if pages.editor(leaf).hasRoom(forCell: byteCount) {
            pages.editor(leaf).insertLeafCell(index, key: key, word: word, payload: payload)
        } else {
            try splitLeaf(key: key, word: word, payload: payload)
        }
    }

    /// Whether the path goes through the last child of every branch above `depth`, or through the
    /// first child if `last` is `false`.
    private func isPathAtEnd(above depth: Int, last: Bool) -> Bool {
        pages.path[..<depth].allSatisfy { step in
            step.index == (last ? pages.page(step.page).count - 1 : 0)
        }
    }

    // MARK: Splitting

    private func splitLeaf(key: ByteView, word: UInt32, payload: ByteView) throws(BullaError) {
        let depth = pages.path.count - 1
        let (left, index) = (pages.path[depth].page, pages.path[depth].index)
        let source = copyToScratch(left)
        let count = source.count
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        let split = splitPoint(source, inserting: byteCount, at: index, depth: depth)
        let right = try pages.makePage(.leaf, level: 0, in: tree)
        for (target, range) in [(left, 0..<split), (right, split..<count + 1)] {
            let editor = pages.editor(target)
            editor.clear(level: 0)
            let (before, after) = Self.parts(of: range, around: index)
            editor.append(source, before)
            if range.contains(index) {
                editor.insertLeafCell(
                    pages.page(target).count, key: key, word: word, payload: payload)
            }
            editor.append(source, after)
            editor.lengthenPrefix()
        }
        let separator = TreePage.separator(
            pages.page(left).key(pages.page(left).count - 1), pages.page(right).key(0))
        try insertChild(depth: depth - 1, separator: separator, child: right)
    }

    /// Returns which of a page's former cells lie before a new cell at `index`, and which lie after
    /// it.
    ///
    /// - Parameter range: the cells to divide, numbered as if the new cell were already among them.
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
        let scratch = pages.memory.pageScratch.slice(0, pages.format.contentByteCount)
        scratch.copy(pages.bytes(index).view, to: 0)
        return TreePage(scratch.view, pages.kind(of: index))
    }

    /// How many of a page's cells, the new cell included, go to the left page when the page is
    /// split.
    ///
    /// At either end of the tree, the former cells stay together in one page and the new cell goes
    /// to the other, so that a load in key order fills its pages.
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

    /// Adds a child to the branch at `depth`, to the right of the child on the path.
    ///
    /// - Parameter separator: the separator before the new child; it lies in a page below, which
    ///   does not change during the call.
    private func insertChild(depth: Int, separator: ByteView, child: Int) throws(BullaError) {
        guard depth >= 0 else { return try growRoot(separator, child) }
        let branch = pages.path[depth].page
        let index = pages.path[depth].index + 1
        guard isInOrder(separator, at: index, of: pages.page(branch)) else { throw disorder() }
        let byteCount = TreePageLayout.branchCellHeader + separator.byteCount
        guard pages.editor(branch).hasRoom(forCell: byteCount) else {
            return try splitBranch(depth: depth, separator: separator, child: child)
        }
        pages.editor(branch).insertBranchCell(
            index, key: separator, child: pointer(to: child))
    }

    /// Whether a new separator sorts between its future neighbours.
    ///
    /// The separator comes from a page below, and in a forged file the keys of that page can lie on
    /// the wrong side of the keys above.
    private func isInOrder(_ separator: ByteView, at index: Int, of branch: TreePage) -> Bool {
        let isAbove = index <= 1 || branch.key(index - 1).compare(separator) < 0
        return isAbove && (index >= branch.count || separator.compare(branch.key(index)) < 0)
    }

    private func growRoot(_ separator: ByteView, _ right: Int) throws(BullaError) {
        let root = root
        let top = try pages.makePage(.branch, level: root.height, in: tree)
        pages.editor(top).clear(level: root.height)
        pages.editor(top).insertBranchCell(0, key: emptyView, child: root.pointer)
        pages.editor(top).insertBranchCell(1, key: separator, child: pointer(to: right))
        setRoot(pointer(to: top), height: root.height + 1)
    }

    private func splitBranch(depth: Int, separator: ByteView, child: Int) throws(BullaError) {
        let (left, index) = (pages.path[depth].page, pages.path[depth].index + 1)
        let level = pages.level(of: left)
        let source = copyToScratch(left)
        let count = source.count
        let byteCount = TreePageLayout.branchCellHeader + separator.byteCount
        let split = splitPoint(source, inserting: byteCount, at: index, depth: depth)
        let right = try pages.makePage(.branch, level: level, in: tree)
        var promoted = emptyView
        for (target, range) in [(left, 0..<split), (right, split..<count + 1)] {
            let editor = pages.editor(target)
            editor.clear(level: level)
            let (before, after) = Self.parts(of: range, around: index)
            editor.append(source, before)
            if range.contains(index) {
                editor.insertBranchCell(
                    pages.page(target).count, key: separator, child: pointer(to: child))
            }
            editor.append(source, after)
            if target == right {
                // The key's bytes stay in place when the page drops the key, so `promoted` stays
                // valid.
                promoted = pages.page(right).key(0)
                editor.dropFirstKey()
            }
            editor.lengthenPrefix()
        }
        try insertChild(depth: depth - 1, separator: promoted, child: right)
    }
}
