internal import BullaMemory

extension MemtablePair {
    /// Looks up a group of keys, and removes from the group those that a memtable has changed.
    ///
    /// `body` gets the place of each removed key, and the change to that key. The call loads the
    /// words of the memtables' filters for all the keys together.
    @inline(__always)
    func take(
        from group: inout KeyGroup, in tree: UInt64, _ body: (Int, MemtableChange) -> Void
    ) {
        var hashes = InlineArray<16, UInt64>(repeating: 0)
        for index in 0..<group.count {
            let key = MemtableKey(tree: tree, group.key(index))
            prefetch(key)
            hashes[index] = key.hash
        }
        var unchanged = KeyGroup(sameBatchAs: group)
        for index in 0..<group.count {
            let place = group.place(index)
            if let change = look(MemtableKey(tree: tree, group.key(index), hash: hashes[index])) {
                body(place, change)
            } else {
                unchanged.add(place)
            }
        }
        group = unchanged
    }
}
