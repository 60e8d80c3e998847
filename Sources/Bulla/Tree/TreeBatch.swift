internal import BullaMemory

/// Keys of a batch that are looked up together, each with its place in the batch and the page that
/// its lookup has reached.
///
/// It is noncopyable because a copy would take as long as a step of a lookup. Its views of the keys
/// are valid only inside ``forEach(of:_:)``.
struct KeyGroup: ~Copyable {
    /// The maximum number of keys in a group: about the number of memory loads that a core can have
    /// in flight.
    private static let limit = 16

    private let keys: ByteViews
    private(set) var count = 0
    private var places = InlineArray<16, Int>(repeating: 0)
    var pages = InlineArray<16, PagePointer>(repeating: .none)

    private init(_ keys: ByteViews) { self.keys = keys }

    /// Makes an empty group for the same batch of keys as `other`.
    init(sameBatchAs other: borrowing KeyGroup) { keys = other.keys }

    /// Calls `body` with one group after another.
    @inline(__always)
    static func forEach<E: Error>(
        of keys: [[UInt8]], _ body: (inout KeyGroup) throws(E) -> Void
    ) throws(E) {
        try keys.withViews { keys throws(E) in
            for first in stride(from: 0, to: keys.count, by: limit) {
                var group = KeyGroup(keys)
                for place in first..<min(first + limit, keys.count) { group.add(place) }
                try body(&group)
            }
        }
    }

    @inline(__always)
    mutating func add(_ place: Int) {
        places[count] = place
        count += 1
    }

    @inline(__always)
    func key(_ index: Int) -> ByteView { keys[places[index]] }

    /// The place of a key in the batch.
    @inline(__always)
    func place(_ index: Int) -> Int { places[index] }
}

/// Looks up many keys, one group at a time, and each group stage by stage.
///
/// Each stage starts loading the memory that the next stage reads, so that the keys of a group wait
/// for memory at the same time.
///
/// Source: S. Chen, A. Ailamaki, P. Gibbons, T. Mowry, "Improving Hash Join Performance through
/// Prefetching", 2004, which calls it group prefetching.
extension PageSource {
    /// Copies the values of a group of keys to their places in `values`, and leaves all other
    /// places as they are.
    func copyValues(
        _ root: TreeRoot, of group: inout KeyGroup, to values: inout [[UInt8]?]
    ) throws(BullaError) {
        var large: [(Int, LargeValue)] = []
        try operate { () throws(BullaError) in
            try goToLeaves(of: root, &group)
            for index in 0..<group.count where !group.pages[index].isNone {
                let place = group.place(index)
                values[place] = try copyValue(group.pages[index], group.key(index)) {
                    large.append((place, $0))
                }
            }
        }
        for (place, value) in large { values[place] = try copy(value) }
    }

    /// Notes in `found` which keys of a group the tree has, and leaves the places of all other keys
    /// as they are.
    func find(
        _ root: TreeRoot, _ group: inout KeyGroup, in found: inout [Bool]
    ) throws(BullaError) {
        try operate { () throws(BullaError) in
            try goToLeaves(of: root, &group)
            for index in 0..<group.count where !group.pages[index].isNone {
                let page = try treePage(group.pages[index], level: 0)
                found[group.place(index)] = page.entry(of: group.key(index)) != nil
                try checkUnchanged(group.pages[index])
            }
        }
    }

    /// Finds the leaves to which keys belong, and starts loading the keys' entries.
    ///
    /// It notes only pointers, because opening one page can evict another. Call this inside an
    /// operation. If the tree is empty, the pointers stay `none`.
    func goToLeaves(of root: TreeRoot, _ group: inout KeyGroup) throws(BullaError) {
        guard group.count > 0, !root.pointer.isNone else { return }
        try checkHeight(root)
        for index in 0..<group.count { group.pages[index] = root.pointer }
        var children = InlineArray<16, Int>(repeating: 0)
        for level in stride(from: root.height - 1, to: 0, by: -1) {
            for index in 0..<group.count {
                let page = try treePage(group.pages[index], level: level)
                children[index] = page.childIndex(for: group.key(index))
                page.prefetchCell(children[index], lineCount: 1)
            }
            for index in 0..<group.count {
                let page = try treePage(group.pages[index], level: level)
                group.pages[index] = page.child(children[index])
                prefetch(group.pages[index], lineCount: 4)
            }
        }
        for index in 0..<group.count {
            let page = try treePage(group.pages[index], level: 0)
            page.prefetchEntry(of: group.key(index))
        }
    }

    private func copyValue(
        _ leaf: PagePointer, _ key: ByteView, _ postpone: (LargeValue) -> Void
    ) throws(BullaError) -> [UInt8]? {
        let page = try treePage(leaf, level: 0)
        var value: [UInt8]?
        if let index = page.entry(of: key) {
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
