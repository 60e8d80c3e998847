internal import BullaMemory

extension PageSource {
    /// Copies the values of many keys, a group at a time and level by level, so that the waits for
    /// memory of a group's pages overlap.
    func copyValues(_ root: TreeRoot, _ keys: [[UInt8]]) throws(BullaError) -> [[UInt8]?] {
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        guard !root.pointer.isNone else { return values }
        // One buffer for all groups.
        var leaves: [PagePointer] = []
        leaves.reserveCapacity(BatchLimits.groupCount)
        var first = 0
        while first < keys.count {
            let group = first..<min(first + BatchLimits.groupCount, keys.count)
            var large: [(Int, LargeValue)] = []
            try operate { () throws(BullaError) in
                try checkHeight(root)
                try find(&leaves, of: root, for: keys[group])
                for (index, leaf) in zip(group, leaves) {
                    values[index] = try copyValue(leaf, keys[index]) { large.append((index, $0)) }
                }
            }
            for (index, value) in large { values[index] = try copy(value) }
            first = group.upperBound
        }
        return values
    }

    /// Finds the leaves under which keys lie.
    ///
    /// Pages are named, not held: opening one may evict another.
    private func find(
        _ pointers: inout [PagePointer], of root: TreeRoot, for keys: ArraySlice<[UInt8]>
    ) throws(BullaError) {
        pointers.removeAll(keepingCapacity: true)
        for _ in keys { pointers.append(root.pointer) }
        for level in stride(from: root.height - 1, to: 0, by: -1) {
            for (place, key) in keys.enumerated() {
                let page = try treePage(pointers[place], level: level)
                pointers[place] = page.child(key.withView { page.childIndex(for: $0) })
                prefetch(pointers[place])
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
    /// As many as a core has waits for memory under way.
    static let groupCount = 16
}
