internal import BullaMemory

/// Keys of a batch that are looked up together, by their places in the batch.
struct KeyGroup {
    /// The most keys in a group: about as many memory loads as one core keeps in flight.
    static let limit = 16

    private var places = InlineArray<16, Int>(repeating: 0)
    private(set) var count = 0

    init() {}

    /// The keys from `first` on, up to a full group.
    init(from first: Int, of keys: [[UInt8]]) {
        for place in first..<min(first + Self.limit, keys.count) { add(place) }
    }

    mutating func add(_ place: Int) {
        places[count] = place
        count += 1
    }

    subscript(index: Int) -> Int { places[index] }
}

/// Looks up many keys, a group at a time and stage by stage.
///
/// Each stage starts loading the memory that the next one reads, so that the waits for memory
/// overlap within a group.
///
/// Source: S. Chen, A. Ailamaki, P. Gibbons, T. Mowry, "Improving Hash Join Performance through
/// Prefetching", 2004, which calls it group prefetching.
extension PageSource {
    /// Copies the values of a group of keys; the values of other keys stay as they are.
    func copyValues(
        _ root: TreeRoot, _ keys: [[UInt8]], of group: KeyGroup, to values: inout [[UInt8]?]
    ) throws(BullaError) {
        var large: [(Int, LargeValue)] = []
        try operate { () throws(BullaError) in
            let leaves = try loadLeaves(of: root, for: group, of: keys)
            for index in 0..<group.count where !leaves[index].isNone {
                let place = group[index]
                values[place] = try copyValue(leaves[index], keys[place]) {
                    large.append((place, $0))
                }
            }
        }
        for (place, value) in large { values[place] = try copy(value) }
    }

    /// Notes which keys of a group the tree has; the results of other keys stay as they are.
    func find(
        _ root: TreeRoot, _ keys: [[UInt8]], of group: KeyGroup, in found: inout [Bool]
    ) throws(BullaError) {
        try operate { () throws(BullaError) in
            let leaves = try loadLeaves(of: root, for: group, of: keys)
            for index in 0..<group.count where !leaves[index].isNone {
                let page = try treePage(leaves[index], level: 0)
                found[group[index]] = keys[group[index]].withView { page.entry(of: $0) } != nil
                try checkUnchanged(leaves[index])
            }
        }
    }

    /// Finds the leaves to which keys belong, and starts loading the keys' entries.
    ///
    /// It returns pointers and holds no pages, because opening one can evict another. Call this
    /// inside an operation.
    ///
    /// - Returns: a pointer for each key; `none` if the tree is empty.
    func loadLeaves(
        of root: TreeRoot, for group: KeyGroup, of keys: [[UInt8]]
    ) throws(BullaError) -> InlineArray<16, PagePointer> {
        var pointers = InlineArray<16, PagePointer>(repeating: root.pointer)
        guard group.count > 0, !root.pointer.isNone else { return pointers }
        try checkHeight(root)
        var indexes = InlineArray<16, Int>(repeating: 0)
        for level in stride(from: root.height - 1, to: 0, by: -1) {
            for place in 0..<group.count {
                let page = try treePage(pointers[place], level: level)
                indexes[place] = keys[group[place]].withView { page.childIndex(for: $0) }
                page.prefetchCell(indexes[place], lineCount: 1)
            }
            for place in 0..<group.count {
                let page = try treePage(pointers[place], level: level)
                pointers[place] = page.child(indexes[place])
                prefetch(pointers[place], lineCount: 4)
            }
        }
        for place in 0..<group.count {
            let page = try treePage(pointers[place], level: 0)
            keys[group[place]].withView { page.prefetchEntry(of: $0) }
        }
        return pointers
    }

    private func copyValue(
        _ leaf: PagePointer, _ key: [UInt8], _ postpone: (LargeValue) -> Void
    ) throws(BullaError) -> [UInt8]? {
        let page = try treePage(leaf, level: 0)
        var value: [UInt8]?
        if let index = key.withView({ page.entry(of: $0) }) {
            if page.isLarge(index) {
                postpone(LargeValue(page.payload(index)))
            } else {
                value = page.payload(index).copied()
            }
        }
        try checkUnchanged(leaf)
        return value
    }
}
