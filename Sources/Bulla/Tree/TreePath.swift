internal import BullaMemory

/// A way from a tree's root to a place in one of its leaves.
///
/// It names pages by their pointers and holds none, so it outlives operations. Move it only inside
/// ``PageSource/operate(_:)``.
struct TreePath {
    struct Step {
        var pointer: PagePointer
        var index: Int
    }

    let root: TreeRoot
    /// From the root down; the last step is in a leaf.
    ///
    /// Empty: it stands nowhere.
    private(set) var steps: [Step] = []

    init(_ root: TreeRoot) { self.root = root }

    var leaf: Step? { steps.last }

    private func level(ofStep index: Int) -> Int { root.height - 1 - index }

    mutating func setLeafIndex(_ index: Int) { steps[steps.count - 1].index = index }

    /// Leaves where it stood; `false` where the tree has no page.
    private mutating func goToRoot(_ source: some PageSource) throws(BullaError) -> Bool {
        steps.removeAll(keepingCapacity: true)
        guard !root.pointer.isNone else { return false }
        try source.checkHeight(root)
        steps.reserveCapacity(root.height)
        return true
    }

    /// Goes down, at each branch to the child that `choose` names, and at the leaf to the entry.
    private mutating func descend(
        _ source: some PageSource, from pointer: PagePointer,
        choose: (TreePage, Int) -> Int
    ) throws(BullaError) {
        var pointer = pointer
        for level in stride(from: level(ofStep: steps.count), through: 0, by: -1) {
            let page = try source.treePage(pointer, level: level)
            // No writer leaves an empty page; a walk over many that are empty would find no end.
            guard page.count > 0 else { throw source.defect(pointer, "it holds nothing") }
            let index = choose(page, level)
            steps.append(Step(pointer: pointer, index: index))
            if level > 0 { pointer = page.child(index) }
        }
    }

    /// To the first entry not below `key`; the index may be one past the leaf's last entry.
    mutating func seek(_ source: some PageSource, _ key: ByteView) throws(BullaError) {
        guard try goToRoot(source) else { return }
        try descend(source, from: root.pointer) { page, level in
            level > 0 ? page.childIndex(for: key) : page.search(key).index
        }
    }

    /// To the first entry of the tree, or the last.
    mutating func goToEnd(
        _ source: some PageSource, _ order: ScanOrder
    ) throws(BullaError) {
        guard try goToRoot(source) else { return }
        try descend(source, from: root.pointer) { page, _ in Self.end(of: page, order) }
    }

    private static func end(of page: TreePage, _ order: ScanOrder) -> Int {
        order == .ascending ? 0 : max(page.count - 1, 0)
    }

    /// To the near end of the next leaf in that order; `false`, and nowhere, where there is none.
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
                try descend(source, from: page.child(index)) { page, _ in Self.end(of: page, order)
                }
                return true
            }
            steps.removeLast()
        }
        return false
    }
}
