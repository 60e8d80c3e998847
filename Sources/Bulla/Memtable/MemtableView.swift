internal import BullaMemory

/// The changes in one version of a memtable, for lookups and scans.
///
/// It is valid while the version is held; ``MemtableEdit/view`` says how long the view of an edit
/// is valid.
package struct MemtableView {
    let space: MemtableSpace
    /// The directory's root; 0 for an empty version.
    let root: UInt32

    /// Whether the version changes no key of any tree.
    @inline(__always)
    package var isEmpty: Bool { root == 0 }

    /// The change to a key; `nil` if there is none, and then the tree beneath decides.
    @inline(__always)
    package func change(of key: MemtableKey) -> MemtableChange? {
        mayHold(key) ? changeUnfiltered(of: key) : nil
    }

    /// Whether a search may find something; the filter rules out most keys that no version holds.
    @inline(__always)
    package func mayHold(_ key: MemtableKey) -> Bool { root != 0 && space.filter.mayHold(key) }

    /// Does the same as ``change(of:)``, without asking the filter.
    package func changeUnfiltered(of key: MemtableKey) -> MemtableChange? {
        guard root != 0 else { return nil }
        let top = space.root(of: key.tree, under: root)
        guard top != 0 else { return nil }
        var page = space.page(top)
        while !page.isLeaf {
            page = space.page(page.child(IndexPage.childIndex(space.search(page, key.bytes))))
            page.prefetch()
        }
        guard let index = space.find(page, key.bytes) else { return nil }
        return space.change(page.reference(index))
    }

    /// Whether any key of a tree is changed.
    package func holds(tree: UInt64) -> Bool { root != 0 && space.root(of: tree, under: root) != 0 }

    /// A cursor over the changes of one tree.
    package func cursor(tree: UInt64) -> MemtableCursor {
        MemtableCursor(space, root == 0 ? 0 : space.root(of: tree, under: root))
    }
}
