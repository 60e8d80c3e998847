internal import BullaMemory

extension MemtableView {
    /// In builds with checks, checks the invariants that every version satisfies.
    ///
    /// - Returns: how many pages belong to the version.
    package func checkInvariants() -> Int { root == 0 ? 0 : checkDirectory(space.page(root)) }

    private func checkDirectory(_ page: IndexPage) -> Int {
        invariant(page.level >= IndexPageLayout.directoryLevel, "trees stand under a directory")
        invariant(page.count > 0, "a page has entries")
        var count = 1
        var former: UInt64?
        for index in 0..<page.count {
            let tree = UInt64(page.head(index)) | UInt64(page.reference(index)) << 32
            let rank = UInt64(page.head(index)) << 32 | UInt64(page.reference(index))
            invariant(index <= page.firstKeyIndex || (former.map { $0 < rank } ?? true), "in order")
            former = rank
            let child = space.page(page.child(index))
            if page.level > IndexPageLayout.directoryLevel {
                invariant(child.level == page.level - 1, "levels go down by one")
                count += checkDirectory(child)
            } else {
                invariant(holds(tree: tree), "a tree is found under its number")
                count += checkPage(child, from: nil, to: nil)
            }
        }
        return count
    }

    /// Checks a page whose keys must be at least `lower`, and below `upper`.
    private func checkPage(_ page: IndexPage, from lower: ByteView?, to upper: ByteView?) -> Int {
        invariant(page.count > 0, "a page has entries")
        invariant(page.level < IndexPageLayout.heightLimit, "a tree is no higher than its limit")
        checkKeys(page, from: lower, to: upper)
        guard !page.isLeaf else { return 1 }
        var count = 1
        for index in 0..<page.count {
            let child = space.page(page.child(index))
            invariant(child.level == page.level - 1, "levels go down by one")
            count += checkPage(
                child, from: index == 0 ? lower : space.key(page.reference(index)),
                to: index + 1 < page.count ? space.key(page.reference(index + 1)) : upper)
        }
        return count
    }

    private func checkKeys(_ page: IndexPage, from lower: ByteView?, to upper: ByteView?) {
        let prefix = page.prefixByteCount
        var former: ByteView?
        invariant(page.count > page.firstKeyIndex || prefix == 0, "a prefix is one of keys")
        for index in page.firstKeyIndex..<max(page.count, page.firstKeyIndex) {
            let key = space.key(page.reference(index))
            invariant(prefix <= key.byteCount, "a prefix is no longer than a key")
            invariant(page.head(index) == key.head(at: prefix), "a head is its key's")
            invariant(former.map { $0.compare(key) < 0 } ?? true, "keys ascend strictly")
            invariant(
                former.map { $0.slice(0, prefix) == key.slice(0, prefix) } ?? true,
                "keys share their page's prefix")
            invariant(lower.map { $0.compare(key) <= 0 } ?? true, "keys are not below the page's")
            invariant(upper.map { key.compare($0) < 0 } ?? true, "keys are below the next page's")
            former = key
        }
    }
}
