internal import BullaMemory

extension WriteState: PageExchange {
    /// Merges the changes of one tree, which this transaction has not changed otherwise.
    func merge(_ changes: MemtableCursor, into tree: Int) throws(BullaError) {
        let root = trees[tree].root
        precondition(
            root.pointer.dirtyIndex(token: dirtyToken) == nil && openSavepoint == 0,
            "a tree is merged before it is changed")
        var merge = try TreeMerge(root, changes, pager, self, token: dirtyToken)
        trees[tree].root = try merge.run()
        trees[tree].isChanged = true
    }
}
