internal import BullaMemory

extension MemtableEdit {
    /// Enters all operations of a tree at once, from the bottom up.
    ///
    /// Pages are filled to the last entry and none is copied, so it takes a fraction of putting
    /// them one by one. The edit must say nothing of the tree yet.
    ///
    /// - Parameter operations: offsets among the memtable's bytes, of operations that
    ///   ``put(tree:operationAt:)`` would take; their keys ascend strictly.
    package mutating func build(
        tree: UInt64, operations: borrowing Span<UInt32>
    ) throws(MemtableError) {
        guard operations.count > 0 else { return }
        let mark = try mark()
        do throws(MemtableError) {
            try buildWhole(tree, operations)
        } catch {
            cut(to: mark)
            throw error
        }
    }

    private mutating func buildWhole(
        _ tree: UInt64, _ operations: borrowing Span<UInt32>
    ) throws(MemtableError) {
        var levels = InlineArray<8, UInt32>(repeating: 0)
        let taken = space.operations.view.slice(0, writer.operationEnd)
        for index in operations.indices {
            let reference = operations[index]
            guard MemtableOperation.byteCount(in: taken, at: Int(reference)) != nil else {
                throw .malformedOperation
            }
            space.filter.add(MemtableKey(tree: tree, space.key(reference)))
            try append(reference, child: 0, level: 0, &levels)
        }
        var top: UInt32 = 0
        for level in 0..<IndexPageLayout.heightLimit where levels[level] != 0 {
            top = levels[level]
            finish(space.page(top))
        }
        let directory = try ownDirectoryPage(for: tree)
        let (index, isFound) = directory.search(tree: tree)
        precondition(!isFound, "a tree that is built was not there")
        directory.insert(index, tree, child: top)
    }

    /// Appends an entry to the last page of a level, or to a new one, which the level above gets.
    private mutating func append(
        _ reference: UInt32, child: UInt32, level: Int, _ levels: inout InlineArray<8, UInt32>
    ) throws(MemtableError) {
        let last = levels[level]
        if last != 0, !space.page(last).isFull {
            let page = space.page(last)
            if level == 0 {
                page.insert(page.count, 0, reference)
            } else {
                page.insert(page.count, 0, reference, child: child)
            }
            return
        }
        let page = try makePage(level: level)
        if level == 0 {
            page.insert(0, 0, reference)
        } else {
            page.insert(0, 0, reference, child: child)
        }
        levels[level] = page.number
        guard last != 0 else { return }
        let former = space.page(last)
        finish(former)
        if levels[level + 1] == 0 {
            try append(former.reference(0), child: last, level: level + 1, &levels)
        }
        try append(reference, child: page.number, level: level + 1, &levels)
    }

    /// Gives a page that has all its entries their heads.
    private func finish(_ page: IndexPage) {
        let first = page.firstKeyIndex
        let last = page.count - 1
        guard first <= last else { return }
        let shared = space.key(page.reference(first)).commonPrefix(
            space.key(page.reference(last)))
        setPrefix(first < last ? shared : 0, of: page)
    }
}
