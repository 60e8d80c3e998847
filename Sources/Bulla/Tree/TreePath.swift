internal import BullaMemory

/// A path from a tree's root to a place in one of its leaves.
///
/// It has pointers to pages but does not hold the pages, so it can outlive operations. Move it only
/// inside ``PageSource/operate(_:)``.
struct TreePath {
    struct Step {
        var pointer: PagePointer
        var index: Int
    }

    let root: TreeRoot
    /// The steps from the root down; the last is in a leaf, except in a path from ``aboveLeaf()``.
    ///
    /// If there are no steps, the path stands on no entry.
    private(set) var steps: [Step] = []

    init(_ root: TreeRoot) { self.root = root }

    var leaf: Step? { steps.last }

    private func level(ofStep index: Int) -> Int { root.height - 1 - index }

    mutating func setLeafIndex(_ index: Int) { steps[steps.count - 1].index = index }

    /// Clears the path; `false` if the tree has no page.
    private mutating func goToRoot(_ source: some PageSource) throws(BullaError) -> Bool {
        steps.removeAll(keepingCapacity: true)
        guard !root.pointer.isNone else { return false }
        try source.checkHeight(root)
        steps.reserveCapacity(root.height)
        return true
    }

    /// Goes down from a page to a leaf; `choose` names the child to take in each branch, and the
    /// entry in the leaf.
    private mutating func descend(
        _ source: some PageSource, from pointer: PagePointer,
        choose: (TreePage, Int) -> Int
    ) throws(BullaError) {
        var pointer = pointer
        for level in stride(from: level(ofStep: steps.count), through: 0, by: -1) {
            let page = try source.treePage(pointer, level: level)
            // No writer leaves an empty page, and a walk over many empty pages might never end.
            guard page.count > 0 else { throw source.defect(pointer, "it holds nothing") }
            let index = choose(page, level)
            steps.append(Step(pointer: pointer, index: index))
            if level > 0 { pointer = page.child(index) }
        }
    }

    /// Moves to the first entry whose key is not less than `key`.
    ///
    /// The index can be one past the leaf's last entry: the next leaf, if there is one, then begins
    /// with the wanted entry.
    mutating func seek(_ source: some PageSource, _ key: ByteView) throws(BullaError) {
        guard try goToRoot(source) else { return }
        try descend(source, from: root.pointer) { page, level in
            level > 0 ? page.childIndex(for: key) : page.search(key).index
        }
    }

    /// Moves to the first entry of the tree, or the last.
    mutating func goToEnd(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) {
        guard try goToRoot(source) else { return }
        try descend(source, from: root.pointer) { page, _ in Self.end(of: page, order) }
    }

    private static func end(of page: TreePage, _ order: ScanOrder) -> Int {
        order == .ascending ? 0 : max(page.count - 1, 0)
    }

    /// Moves to the leaf that follows in `order`, and there to the entry that a scan in `order`
    /// visits first; clears the path and returns `false` if no leaf follows.
    mutating func nextLeaf(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) -> Bool {
        guard !steps.isEmpty else { return false }
        steps.removeLast()
        while let step = steps.last {
            let level = level(ofStep: steps.count - 1)
            let page = try source.treePage(step.pointer, level: level)
            let index = order == .ascending ? step.index + 1 : step.index - 1
            if index >= 0 && index < page.count {
                steps[steps.count - 1].index = index
                let child = page.child(index)
                if level == 1 { Self.prefetch(source, beyond: index, in: page, order) }
                try descend(source, from: child) { page, _ in Self.end(of: page, order) }
                return true
            }
            steps.removeLast()
        }
        return false
    }

    /// Starts loading the leaf after the next one.
    ///
    /// On its own, the processor prefetches only within a page of memory.
    @inline(__always)
    private static func prefetch(
        _ source: some PageSource, beyond index: Int, in page: TreePage, _ order: ScanOrder
    ) {
        let index = order == .ascending ? index + 1 : index - 1
        guard index >= 0, index < page.count else { return }
        source.prefetch(page.child(index), lineCount: 6)
    }

    /// The path to the leaf's parent branch, from which ``takeLeaves(_:_:_:limit:)`` runs ahead of
    /// a scan.
    func aboveLeaf() -> TreePath {
        var path = self
        if !path.steps.isEmpty { path.steps.removeLast() }
        return path
    }

    /// The next leaves, at most `limit`, that a scan of the range will reach; only a hint.
    ///
    /// The path must end in a branch of level 1; the leaves are those after the path's place in
    /// that branch. Moves the path to the last of them, or clears it if no more leaves follow.
    mutating func takeLeaves(
        _ source: some PageSource, _ range: KeyRange, _ order: ScanOrder, limit: Int
    ) throws(BullaError) -> [PagePointer] {
        var leaves: [PagePointer] = []
        let isMany = limit >= PagesAhead.manyCount
        while let step = steps.last {
            let page = try source.treePage(step.pointer, level: 1)
            for index in Self.indexes(beyond: step.index, in: page, order) {
                guard leaves.count < limit else { return leaves }
                guard Self.isIn(range, page, index, order) else {
                    steps.removeAll()
                    return leaves
                }
                leaves.append(page.child(index))
                steps[steps.count - 1].index = index
            }
            guard leaves.count < limit else { break }
            guard try nextBranch(source, order, near: isMany ? leaves.last : nil) else { break }
        }
        return leaves
    }

    private static func indexes(
        beyond index: Int, in page: TreePage, _ order: ScanOrder
    ) -> StrideTo<Int> {
        order == .ascending
            ? stride(from: index + 1, to: page.count, by: 1)
            : stride(from: index - 1, to: -1, by: -1)
    }

    /// Whether a child of a branch can have keys in the range of a scan that has already passed the
    /// range's beginning.
    ///
    /// The child's keys lie between its own separator and the next one. Only the bound that the
    /// scan moves towards is compared.
    private static func isIn(
        _ range: KeyRange, _ page: TreePage, _ index: Int, _ order: ScanOrder
    ) -> Bool {
        if order == .ascending { return index == 0 || range.reaches(page.key(index)) }
        guard index + 1 < page.count else { return true }
        return range.lower.withView { page.key(index + 1).compare($0) > 0 }
    }

    /// Moves to the branch of level 1 that follows in `order`, and there to the place before the
    /// child that a scan in `order` visits first; clears the path and returns `false` if no such
    /// branch follows.
    ///
    /// - Parameter leaf: the last leaf before that branch, if many leaves are opened together;
    ///   otherwise `nil`.
    private mutating func nextBranch(
        _ source: some PageSource, _ order: ScanOrder, near leaf: PagePointer?
    ) throws(BullaError) -> Bool {
        steps.removeLast()
        while let step = steps.last {
            var page = try source.treePage(step.pointer, level: level(ofStep: steps.count - 1))
            let index = order == .ascending ? step.index + 1 : step.index - 1
            guard index >= 0, index < page.count else {
                steps.removeLast()
                continue
            }
            steps[steps.count - 1].index = index
            while let step = steps.last, level(ofStep: steps.count - 1) > 1 {
                let pointer = page.child(step.index)
                if let leaf { source.pager.makeReady(pointer, near: leaf) }
                page = try source.treePage(pointer, level: level(ofStep: steps.count))
                guard page.count > 0 else {
                    steps.removeAll()
                    return false
                }
                steps.append(Step(pointer: pointer, index: Self.end(of: page, order)))
            }
            steps[steps.count - 1].index = order == .ascending ? -1 : page.count
            return true
        }
        return false
    }

    /// Whether the path's lowest branch has a next leaf, and the cache lacks that leaf.
    func isNextMissing(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) -> Bool {
        guard steps.count > 1 else { return false }
        let step = steps[steps.count - 2]
        let page = try source.treePage(step.pointer, level: 1)
        let index = order == .ascending ? step.index + 1 : step.index - 1
        return index >= 0 && index < page.count && source.isMissing(page.child(index))
    }
}
