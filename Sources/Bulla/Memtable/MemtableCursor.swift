package import BullaMemory

/// A cursor over the changed keys of one tree.
///
/// It is valid as long as the view that made it.
package struct MemtableCursor {
    private let space: MemtableSpace
    private let root: UInt32
    private var pages = InlineArray<8, UInt32>(repeating: 0)
    private var indexes = InlineArray<8, Int32>(repeating: 0)
    /// How many pages lead to the leaf, counting the leaf itself; 0 while the cursor stands on no
    /// key.
    private var depth = 0
    private var leaf: IndexPage
    private var index = 0

    /// How many entries ahead the cursor begins to load operations.
    private static let lookAhead = 12

    init(_ space: MemtableSpace, _ root: UInt32) {
        (self.space, self.root) = (space, root)
        leaf = space.page(root)
    }

    /// Whether it stands on an entry.
    package var isOnEntry: Bool { depth > 0 }

    /// The entry's key; empty if there is none.
    @inline(__always)
    package var key: ByteView { depth > 0 ? space.key(leaf.reference(index)) : emptyView }

    /// The memtable's change to the key; `nil` if the cursor stands on no key.
    @inline(__always)
    package var change: MemtableChange? {
        depth > 0 ? space.change(leaf.reference(index)) : nil
    }

    /// Moves to the smallest key.
    @discardableResult
    package mutating func moveToFirst() -> Bool {
        descend { _, _ in 0 }
        return settle(.ascending)
    }

    /// Moves to the greatest key.
    @discardableResult
    package mutating func moveToLast() -> Bool {
        descend { _, page in page.count &- 1 }
        return settle(.descending)
    }

    /// Moves to the first key that is not below `key`.
    @discardableResult
    package mutating func seek(notBelow key: ByteView) -> Bool {
        descend { space, page in
            let place = space.search(page, key)
            return page.isLeaf ? place.index : IndexPage.childIndex(place)
        }
        return settle(.ascending)
    }

    /// Moves to the last key that is not above `key`.
    @discardableResult
    package mutating func seek(notAbove key: ByteView) -> Bool {
        descend { space, page in
            let place = space.search(page, key)
            guard page.isLeaf else { return IndexPage.childIndex(place) }
            return place.isFound ? place.index : place.index &- 1
        }
        return settle(.descending)
    }

    /// Moves to the next greater key; after the last one it returns `false`, and stands on no key.
    @inline(__always) @discardableResult
    package mutating func moveToNext() -> Bool {
        guard depth > 0 else { return false }
        index &+= 1
        let count = leaf.count
        guard index < count else { return settle(.ascending) }
        if index &+ Self.lookAhead < count {
            space.prefetch(leaf.reference(index &+ Self.lookAhead))
        }
        return true
    }

    /// Moves to the next smaller key; before the first one it returns `false`, and stands on no
    /// key.
    @inline(__always) @discardableResult
    package mutating func moveToPrevious() -> Bool {
        guard depth > 0 else { return false }
        index &-= 1
        guard index >= 0 else { return settle(.descending) }
        if index >= Self.lookAhead { space.prefetch(leaf.reference(index &- Self.lookAhead)) }
        return true
    }

    private enum Direction { case ascending, descending }

    /// Descends to a leaf; on each page, `choose` returns the index of the entry to follow.
    @inline(__always)
    private mutating func descend(_ choose: (MemtableSpace, IndexPage) -> Int) {
        depth = 0
        guard root != 0 else { return }
        leaf = space.page(root)
        while depth < IndexPageLayout.heightLimit {
            index = choose(space, leaf)
            pages[depth] = leaf.number
            indexes[depth] = Int32(truncatingIfNeeded: index)
            depth &+= 1
            guard !leaf.isLeaf else { return }
            leaf = space.page(leaf.child(index))
            leaf.prefetch()
        }
        preconditionFailure("an index is no higher than its limit")
    }

    /// Moves on to the next leaf in this direction if the index lies outside the present leaf.
    private mutating func settle(_ direction: Direction) -> Bool {
        guard depth > 0 else { return false }
        if index >= 0 && index < leaf.count { return true }
        let step: Int32 = direction == .ascending ? 1 : -1
        var at = depth &- 2
        while at >= 0 {
            let next = Int(indexes[at] &+ step)
            let page = space.page(pages[at])
            if next >= 0 && next < page.count {
                indexes[at] = Int32(truncatingIfNeeded: next)
                enter(page.child(next), at: at &+ 1, direction)
                return true
            }
            at &-= 1
        }
        depth = 0
        return false
    }

    /// Descends from a page to the first or last entry below it.
    private mutating func enter(_ number: UInt32, at start: Int, _ direction: Direction) {
        leaf = space.page(number)
        for at in start..<depth {
            index = direction == .ascending ? 0 : leaf.count &- 1
            pages[at] = leaf.number
            indexes[at] = Int32(truncatingIfNeeded: index)
            if !leaf.isLeaf { leaf = space.page(leaf.child(index)) }
        }
        prefetchFirst(direction)
    }

    /// Begins to load those of the leaf's operations that a walk in this direction meets first.
    private func prefetchFirst(_ direction: Direction) {
        let count = leaf.count
        let end = min(Self.lookAhead, count)
        for place in 0..<end {
            space.prefetch(
                leaf.reference(direction == .ascending ? place : count &- 1 &- place))
        }
    }
}
