internal import BullaMemory

extension MemtablePair {
    /// So many words of the filters are loaded together.
    private static let groupCount = 16

    /// Copies what is said of many keys of a tree.
    ///
    /// - Returns: the places of the keys of which nothing is said.
    func copyValues(
        of tree: UInt64, _ keys: [[UInt8]], to values: inout [[UInt8]?]
    ) -> [Int] {
        var unknown: [Int] = []
        unknown.reserveCapacity(keys.count)
        var hashes = InlineArray<16, UInt64>(repeating: 0)
        for first in stride(from: 0, to: keys.count, by: Self.groupCount) {
            let group = first..<min(first + Self.groupCount, keys.count)
            for place in group {
                hashes[place - first] = keys[place].withView { bytes in
                    let key = MemtableKey(tree: tree, bytes)
                    prefetch(key)
                    return key.hash
                }
            }
            for place in group {
                let hash = hashes[place - first]
                keys[place].withView { bytes in
                    switch look(MemtableKey(tree: tree, bytes, hash: hash)) {
                    case nil: unknown.append(place)
                    case .put(let value): values[place] = value.copied()
                    case .tombstone: values[place] = nil
                    }
                }
            }
        }
        return unknown
    }
}
