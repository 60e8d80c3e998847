internal import BullaMemory

/// Puts and deletes entries of one tree, in the pages of a write in progress.
///
/// ``ChangedPages`` is the only type that conforms to ``PageEditing``, so the compiler specializes
/// each function for it, and no call goes through a witness table.
struct TreeEditor<Pages: PageEditing> {
    let pages: Pages
    /// The index of the tree among the trees that the write has opened.
    let tree: Int

    var root: TreeRoot {
        @inline(__always) get { pages[rootOf: tree] }
        @inline(__always) nonmutating set { pages[rootOf: tree] = newValue }
    }

    func setRoot(_ pointer: PagePointer, height: Int) {
        root.pointer = pointer
        root.height = height
        pages.markChanged(tree)
    }

    /// A pointer to a changed page.
    func pointer(to page: Int) -> PagePointer { .dirty(page, token: pages.dirtyToken) }

    /// Moves the path to the leaf to which `key` belongs, and turns all pages on the path into
    /// changed pages.
    ///
    /// - Returns: the leaf, its first entry whose key is not less than `key`, and whether that
    ///   entry's key is `key`.
    func writableLeaf(
        for key: ByteView
    ) throws(BullaError) -> (leaf: Int, index: Int, isFound: Bool) {
        pages.path.removeAll(keepingCapacity: true)
        if root.pointer.isNone { try plantLeaf() }
        let root = root
        try pages.checkHeight(root)
        var level = root.height - 1
        var page = try pages.writable(root.pointer, level: level, in: tree)
        setRoot(pointer(to: page), height: root.height)
        while level > 0 {
            let branch = pages.page(page)
            let index = branch.childIndex(for: key)
            let child = branch.child(index)
            pages.path.append(EditStep(page: page, index: index))
            level -= 1
            let next = try pages.writable(child, level: level, in: tree)
            if child.dirtyIndex(token: pages.dirtyToken) != next {
                pages.editor(page).setChild(index, pointer(to: next))
            }
            page = next
        }
        let (index, isFound) = pages.page(page).search(key)
        pages.page(page).checkSearch(key, index, isFound)
        pages.path.append(EditStep(page: page, index: index))
        return (page, index, isFound)
    }

    private func plantLeaf() throws(BullaError) {
        let leaf = try pages.makePage(.leaf, level: 0, in: tree)
        pages.editor(leaf).clear(level: 0)
        setRoot(pointer(to: leaf), height: 1)
    }

    /// Frees the pages of an entry's value, if it is a large value.
    ///
    /// - Parameter budget: shared by all entries of a call, because in a forged file many entries
    ///   can name the same value.
    func releaseLargeValue(
        _ leaf: Int, _ index: Int, _ budget: inout VisitBudget
    ) throws(BullaError) {
        guard pages.page(leaf).isLarge(index) else { return }
        let value = LargeValue(pages.page(leaf).payload(index))
        try pages.forEachPage(of: value, &budget) { pointer, _ in pages.release(pointer) }
        root.largeCount &-= 1
    }

    /// The error for keys that are not in order, for instance if a search does not find a key that
    /// a scan found.
    func disorder() -> BullaError {
        pages.defect(root.pointer, "the tree below it is not in the order of its keys")
    }
}
