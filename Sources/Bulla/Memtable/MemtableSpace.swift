internal import BullaMemory

/// Where the parts of a memtable lie: plain addresses, valid while the memtable lives.
///
/// Readers and the writer each have a copy, so that reading a page needs no exclusivity check and
/// no reference counting for the memtable's own properties.
struct MemtableSpace {
    let pages: MutableByteView
    /// Operations, one after another.
    let operations: MutableByteView
    let filter: MemtableFilter

    @inline(__always)
    func page(_ number: UInt32) -> IndexPage {
        let byteCount = IndexPageLayout.byteCount
        return IndexPage(number, pages.slice(Int(number) &* byteCount, byteCount))
    }

    @inline(__always)
    func key(_ reference: UInt32) -> ByteView {
        let offset = Int(reference)
        let bytes = operations.view
        return bytes.slice(
            offset &+ MemtableOperation.headerByteCount,
            Int(bytes.load(UInt16.self, at: offset &+ MemtableOperation.keyByteCountOffset)))
    }

    @inline(__always)
    func change(_ reference: UInt32) -> MemtableChange {
        let offset = Int(reference)
        let bytes = operations.view
        let word = bytes.load(UInt32.self, at: offset)
        guard word != MemtableOperation.tombstone else { return .tombstone }
        let key = Int(bytes.load(UInt16.self, at: offset &+ MemtableOperation.keyByteCountOffset))
        return .put(bytes.slice(offset &+ MemtableOperation.headerByteCount &+ key, Int(word)))
    }

    /// Begins to load an operation.
    @inline(__always)
    func prefetch(_ reference: UInt32) {
        operations.view.slice(Int(reference), 64).prefetch(lineCount: 3)
    }

    /// In a leaf or branch, the first entry that is not below `key`, and whether it is `key`'s.
    @inline(__always)
    func search(_ page: IndexPage, _ key: ByteView) -> (index: Int, isFound: Bool) {
        let first = page.firstKeyIndex
        let prefix = page.prefixByteCount
        if prefix > 0, page.count > first {
            // A key that ends inside the prefix sorts before every key of the page.
            let sample = self.key(page.reference(first)).slice(0, prefix)
            let order = key.slice(0, min(prefix, key.byteCount)).compare(sample)
            if order != 0 { return (order < 0 ? first : page.count, false) }
        }
        return search(page, key, among: page.range(of: key.head(at: prefix), from: first))
    }

    /// Searches among the entries whose heads equal the key's head.
    @inline(__always)
    private func search(
        _ page: IndexPage, _ key: ByteView, among same: Range<Int>
    ) -> (index: Int, isFound: Bool) {
        var low = same.lowerBound
        var high = same.upperBound
        while low < high {
            let middle = (low &+ high) >> 1
            let order = self.key(page.reference(middle)).compare(key)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Finds the entry of `key` in a leaf.
    ///
    /// The key need not share the page's prefix: the search compares whole keys.
    @inline(__always)
    func find(_ leaf: IndexPage, _ key: ByteView) -> Int? {
        let same = leaf.range(of: key.head(at: leaf.prefixByteCount), from: 0)
        let (index, isFound) = search(leaf, key, among: same)
        return isFound ? index : nil
    }

    /// The root of a tree's changes; 0 if there are none.
    @inline(__always)
    func root(of tree: UInt64, under directory: UInt32) -> UInt32 {
        var page = self.page(directory)
        while page.level > IndexPageLayout.directoryLevel {
            page = self.page(page.child(IndexPage.childIndex(page.search(tree: tree))))
        }
        let (index, isFound) = page.search(tree: tree)
        return isFound ? page.child(index) : 0
    }
}
