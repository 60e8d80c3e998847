package import BullaMemory

extension MemtableEdit {
    /// Records that a key has a value, or, with `nil`, that it is gone; copies both key and value.
    ///
    /// The caller has checked the lengths: a key of up to 65 535 bytes, and a value of up to
    /// 2^32 - 2 bytes.
    package mutating func put(_ key: MemtableKey, _ value: ByteView?) throws(MemtableError) {
        let byteCount = MemtableOperation.byteCount(
            key: key.bytes.byteCount, value: value?.byteCount ?? 0)
        let end = writer.operationEnd
        let offset = try writer.takeBytes(byteCount, memtable)
        MemtableOperation.write(
            space.operations.slice(offset, byteCount), key: key.bytes, value: value)
        do throws(MemtableError) {
            try enter(key, UInt32(truncatingIfNeeded: offset))
        } catch {
            writer.operationEnd = end
            throw error
        }
    }

    /// Makes an operation the current one for its key.
    private mutating func enter(
        _ key: MemtableKey, _ reference: UInt32
    ) throws(MemtableError) {
        if !PlantedBug.isPlanted(.filterNotUpdated) { space.filter.add(key) }
        let directory = try ownDirectoryPage(for: key.tree)
        let (index, isFound) = directory.search(tree: key.tree)
        if isFound { return try enter(key.bytes, reference, under: directory, at: index) }
        let leaf = try makePage(level: 0)
        insert(key.bytes, reference, into: leaf, at: 0)
        directory.insert(index, key.tree, child: leaf.number)
    }

    /// Returns the lowest-level directory page that has an entry for a tree, or room for one; the
    /// caller can change that page.
    mutating func ownDirectoryPage(for tree: UInt64) throws(MemtableError) -> IndexPage {
        if root == 0 { root = try makePage(level: IndexPageLayout.directoryLevel).number }
        var page = try own(root)
        root = page.number
        if page.isFull {
            let top = try grow(page)
            root = top.number
            page = top
        }
        while page.level > IndexPageLayout.directoryLevel {
            var index = IndexPage.childIndex(page.search(tree: tree))
            var child = try ownChild(index, of: page)
            if child.isFull {
                try split(child, at: child.count / 2, in: page, at: index)
                index = IndexPage.childIndex(page.search(tree: tree))
                child = try ownChild(index, of: page)
            }
            page = child
        }
        return page
    }

    /// Makes a parent for a page that may have to be split.
    private mutating func grow(_ page: IndexPage) throws(MemtableError) -> IndexPage {
        let top = try makePage(level: page.level + 1)
        top.insert(0, 0, 0, child: page.number)
        return top
    }

    /// Enters an operation in the leaf for its key; on the way down, full pages are split, so that
    /// each parent has room.
    @inline(__always)
    private mutating func enter(
        _ key: ByteView, _ reference: UInt32, under directory: IndexPage, at place: Int
    ) throws(MemtableError) {
        var (parent, index) = (directory, place)
        var page = try ownChild(index, of: parent)
        // Whether the descent has so far taken the last entry of every page.
        var isLast = true
        if !page.isLeaf, page.isFull {
            let top = try grow(page)
            parent.setChild(index, top.number)
            (parent, index) = (top, 0)
        }
        while !page.isLeaf {
            if page.isFull {
                (page, isLast) = try splitBranch(page, in: parent, at: index, for: key, isLast)
            }
            let next = IndexPage.childIndex(space.search(page, key))
            isLast = isLast && next == page.count - 1
            (parent, index) = (page, next)
            page = try ownChild(next, of: parent)
        }
        let (entry, isFound) = space.search(page, key)
        if isFound { return page.setSlot(entry, page.head(entry), reference) }
        guard page.isFull else { return insert(key, reference, into: page, at: entry) }
        if parent.level >= IndexPageLayout.directoryLevel {
            let top = try grow(page)
            parent.setChild(index, top.number)
            (parent, index) = (top, 0)
        }
        guard !isLast || entry < page.count else {
            return try append(key, reference, behind: page, in: parent, at: index)
        }
        try insertSplitting(key, reference, into: page, at: entry, in: parent, at: index)
    }

    /// Splits a full branch.
    ///
    /// - Parameter isLast: whether `page` is the last page of its level.
    /// - Returns: the half that leads to `key`, and whether that half is now the last page of its
    ///   level.
    private mutating func splitBranch(
        _ page: IndexPage, in parent: IndexPage, at index: Int, for key: ByteView, _ isLast: Bool
    ) throws(MemtableError) -> (half: IndexPage, isLast: Bool) {
        let count = page.count
        // A split at the end leaves a full page behind, which suits keys that come in order. If
        // such splits were allowed elsewhere, somebody could choose keys that leave pages of one
        // entry.
        let isAppending =
            isLast && IndexPage.childIndex(space.search(page, key)) == count - 1
        let right = try split(
            page, at: isAppending ? count - 1 : count / 2, in: parent, at: index)
        let isLeft = key.compare(space.key(right.reference(0))) < 0
        return isLeft ? (page, false) : (right, isLast)
    }

    /// Adds a leaf after the last one, which is full.
    private mutating func append(
        _ key: ByteView, _ reference: UInt32, behind page: IndexPage, in parent: IndexPage,
        at index: Int
    ) throws(MemtableError) {
        let right = try makePage(level: 0)
        fitPrefix(page)
        let first = space.key(page.reference(0))
        right.setPrefix(page.prefixByteCount > 0 ? key.commonPrefix(first) : 0)
        insert(key, reference, into: right, at: 0)
        insert(key, reference, into: parent, at: index + 1, child: right.number)
    }

    private mutating func insertSplitting(
        _ key: ByteView, _ reference: UInt32, into page: IndexPage, at entry: Int,
        in parent: IndexPage, at index: Int
    ) throws(MemtableError) {
        let middle = page.count / 2
        let right = try split(page, at: middle, in: parent, at: index)
        if entry <= middle {
            insert(key, reference, into: page, at: entry)
        } else {
            insert(key, reference, into: right, at: entry - middle)
        }
    }

    /// Moves the entries from `middle` onward to a new page, and enters that page in the parent.
    @discardableResult
    private mutating func split(
        _ page: IndexPage, at middle: Int, in parent: IndexPage, at index: Int
    ) throws(MemtableError) -> IndexPage {
        let right = try makePage(level: page.level, prefix: page.prefixByteCount)
        page.moveEntries(from: middle, to: right)
        let reference = right.reference(0)
        if page.level >= IndexPageLayout.directoryLevel {
            parent.insert(index + 1, right.head(0), reference, child: right.number)
            return right
        }
        insert(
            space.key(reference), reference, into: parent, at: index + 1, child: right.number)
        fitPrefix(page)
        fitPrefix(right)
        // No search compares the key of a branch's first entry. If the page has no other entry, set
        // its prefix to empty, because the next key that it gets may be shorter than the present
        // prefix, or share nothing with it.
        if right.count <= right.firstKeyIndex { right.setPrefix(0) }
        return right
    }
}
