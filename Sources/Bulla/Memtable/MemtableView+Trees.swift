extension MemtableView {
    /// Visits the numbers of the trees that the version changes.
    fileprivate func forEachTree(_ body: (UInt64) -> Void) {
        if root != 0 { forEachTree(below: space.page(root), body) }
    }

    private func forEachTree(below page: IndexPage, _ body: (UInt64) -> Void) {
        for index in 0..<page.count {
            if page.level == IndexPageLayout.directoryLevel {
                body(page.tree(index))
            } else {
                forEachTree(below: space.page(page.child(index)), body)
            }
        }
    }
}

extension MemtablePair {
    /// The numbers of the trees that either memtable changes, ascending.
    func trees() -> [UInt64] {
        var numbers: Set<UInt64> = []
        newer.forEachTree { numbers.insert($0) }
        older.forEachTree { numbers.insert($0) }
        return numbers.sorted()
    }
}
