internal import BullaMemory

extension PageSource {
    /// Copies the values of many keys, a group at a time and level by level, so that the waits for
    /// memory of a group's pages overlap.
    func copyValues(_ root: TreeRoot, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        try copyValues(root, keys, at: keys.indices, to: &values)
        return values
    }

    /// The same for some of the keys, by their places; the values of the others stay as they are.
    func copyValues<Places: RandomAccessCollection<Int>>(
        _ root: TreeRoot, _ keys: [[UInt8]], at places: Places, to values: inout [[UInt8]?]
    ) throws(BullaError) where Places.Index == Int {
        guard !root.pointer.isNone else { return }
        // One buffer for all groups.
        var leaves: [PagePointer] = []
        leaves.reserveCapacity(BatchLimits.groupCount)
        var first = places.startIndex
        while first < places.endIndex {
            let group = places[first..<min(first + BatchLimits.groupCount, places.endIndex)]
            var large: [(Int, LargeValue)] = []
            try operate { () throws(BullaError) in
                try checkHeight(root)
                try find(&leaves, of: root, for: keys, at: group)
                for (place, leaf) in zip(group, leaves) {
                    values[place] = try copyValue(leaf, keys[place]) { large.append((place, $0)) }
                }
            }
            for (place, value) in large { values[place] = try copy(value) }
            first = group.endIndex
        }
    }

    /// Finds the leaves under which keys lie.
    ///
    /// Pages are named, not held: opening one may evict another.
    private func find(
        _ pointers: inout [PagePointer], of root: TreeRoot, for keys: [[UInt8]],
        at places: some RandomAccessCollection<Int>
    ) throws(BullaError) {
        pointers.removeAll(keepingCapacity: true)
        for _ in places { pointers.append(root.pointer) }
        for level in stride(from: root.height - 1, to: 0, by: -1) {
            for (index, place) in places.enumerated() {
                let page = try treePage(pointers[index], level: level)
                pointers[index] = page.child(keys[place].withView { page.childIndex(for: $0) })
                prefetch(pointers[index])
            }
        }
    }

    private func copyValue(
        _ leaf: PagePointer, _ key: [UInt8], _ postpone: (LargeValue) -> Void
    ) throws(BullaError) -> [UInt8]? {
        let page = try treePage(leaf, level: 0)
        let (index, isFound) = key.withView { page.search($0) }
        var value: [UInt8]?
        if isFound, page.isLarge(index) {
            postpone(LargeValue(page.payload(index)))
        } else if isFound {
            value = page.payload(index).copied()
        }
        try checkUnchanged(leaf)
        return value
    }
}

enum BatchLimits {
    /// About as many memory accesses as one core keeps in flight.
    static let groupCount = 16
}
