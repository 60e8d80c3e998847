package import BullaMemory

/// What the two memtables of a view say: that of the newest half of the log, and that of the older
/// one.
///
/// Where both say something of a key, the newer one is right. Where neither does, the tree beneath
/// decides. Good while both versions are held.
package struct MemtablePair {
    let newer: MemtableView
    let older: MemtableView

    /// - Parameter older: `nil` where there is no older half.
    package init(newer: MemtableView, older: MemtableView? = nil) {
        self.newer = newer
        self.older = older ?? MemtableView(space: newer.space, root: 0)
    }

    /// Whether no key of any tree is changed.
    @inline(__always)
    package var isEmpty: Bool { newer.isEmpty && older.isEmpty }

    /// What is said of a key of a tree; `nil` for nothing.
    ///
    /// - Complexity: nothing where both are empty. For most keys that are not changed, a hash and a
    ///   word of each filter; no memory is asked for, and nothing counted.
    @inline(__always)
    package func change(of key: ByteView, in tree: UInt64) -> MemtableChange? {
        isEmpty ? nil : look(MemtableKey(tree: tree, key))
    }

    /// The same for a key whose hash is known.
    @inline(__always)
    func look(_ key: MemtableKey) -> MemtableChange? {
        let (mayBeNewer, mayBeOlder) = (newer.mayHold(key), older.mayHold(key))
        return mayBeNewer || mayBeOlder ? search(key, mayBeNewer, mayBeOlder) : nil
    }

    @inline(never)
    private func search(
        _ key: MemtableKey, _ mayBeNewer: Bool, _ mayBeOlder: Bool
    ) -> MemtableChange? {
        if mayBeNewer, let change = newer.changeUnfiltered(of: key) { return change }
        return mayBeOlder ? older.changeUnfiltered(of: key) : nil
    }

    /// Begins to load what ``look(_:)`` looks at first.
    @inline(__always)
    func prefetch(_ key: MemtableKey) {
        newer.space.filter.prefetch(key)
        older.space.filter.prefetch(key)
    }

    /// A cursor over what is said of one tree, which stands nowhere yet.
    package func cursor(tree: UInt64) -> ChangeCursor {
        ChangeCursor(newer.cursor(tree: tree), older.cursor(tree: tree))
    }
}
