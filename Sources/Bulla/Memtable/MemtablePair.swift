package import BullaMemory

/// The two memtables of a view: one for the newer half of the log, one for the older half.
///
/// If both have changed a key, the newer one decides. If neither has, the tree beneath decides. The
/// pair is valid while both versions are held.
package struct MemtablePair {
    let newer: MemtableView
    let older: MemtableView

    /// - Parameter older: `nil` if there is no older half.
    package init(newer: MemtableView, older: MemtableView? = nil) {
        self.newer = newer
        self.older = older ?? MemtableView(space: newer.space, root: 0)
    }

    /// Whether no key of any tree is changed.
    @inline(__always)
    package var isEmpty: Bool { newer.isEmpty && older.isEmpty }

    /// The newest change to a key of a tree; `nil` if neither memtable has changed it.
    ///
    /// - Complexity: no work if both are empty. For most keys that neither has changed, a hash and
    ///   one word of each filter; no allocation, and no reference counting.
    @inline(__always)
    package func change(of key: ByteView, in tree: UInt64) -> MemtableChange? {
        isEmpty ? nil : look(MemtableKey(tree: tree, key))
    }

    /// Does the same as ``change(of:in:)``, for a key whose hash is known.
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

    /// Begins to load what ``look(_:)`` reads first.
    @inline(__always)
    func prefetch(_ key: MemtableKey) {
        newer.space.filter.prefetch(key)
        older.space.filter.prefetch(key)
    }

    /// A cursor over the changes of one tree; it does not stand on a key yet.
    package func cursor(tree: UInt64) -> ChangeCursor {
        ChangeCursor(newer.cursor(tree: tree), older.cursor(tree: tree))
    }
}
