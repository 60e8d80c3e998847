internal import BullaMemory

extension MemtablePair {
    /// Looks up some keys of a batch.
    ///
    /// `body` gets the place of each key that a memtable has changed, and the change. The filters'
    /// words for all the keys are loaded together.
    ///
    /// - Parameter group: the keys' places.
    /// - Returns: the places of the keys that no memtable has changed.
    @inline(__always)
    func look(
        _ group: KeyGroup, of keys: [[UInt8]], in tree: UInt64,
        _ body: (Int, MemtableChange) -> Void
    ) -> KeyGroup {
        var hashes = InlineArray<16, UInt64>(repeating: 0)
        for index in 0..<group.count {
            hashes[index] = keys[group[index]].withView { bytes in
                let key = MemtableKey(tree: tree, bytes)
                prefetch(key)
                return key.hash
            }
        }
        var unknown = KeyGroup()
        for index in 0..<group.count {
            let place = group[index]
            keys[place].withView { bytes in
                let change = look(MemtableKey(tree: tree, bytes, hash: hashes[index]))
                if let change { body(place, change) } else { unknown.add(place) }
            }
        }
        return unknown
    }
}
