internal import BullaMemory

/// A tree as a transaction sees it.
struct OpenTree {
    /// The name, which lies in the transaction's memory.
    var name: ByteView
    var root: TreeRoot
    var isChanged = false
    var isDropped = false

    /// Takes the place of a tree that is gone, so that a caller that still uses that tree's index
    /// gets an error.
    static var gone: OpenTree { OpenTree(name: emptyView, root: .empty, isDropped: true) }
}

/// The trees that a transaction has opened, by index and by name.
///
/// The catalog has index 0. No index is given twice.
struct OpenTrees {
    static let catalog = 0

    private var list: [OpenTree]
    private var indices: [ByteView: Int] = [:]

    init(catalog root: TreeRoot) { list = [OpenTree(name: emptyView, root: root)] }

    var count: Int { list.count }
    /// The indices of all but the catalog.
    var named: Range<Int> { 1..<list.count }
    /// All trees, dropped ones included.
    var all: [OpenTree] { list }

    @inline(__always)
    subscript(index: Int) -> OpenTree {
        get { list[index] }
        _modify { yield &list[index] }
    }

    /// The index of the tree of that name; `nil` if no such tree was opened.
    func index(named name: ByteView) -> Int? { indices[name] }

    @discardableResult
    mutating func add(_ tree: OpenTree) -> Int {
        list.append(tree)
        indices[tree.name] = list.count - 1
        return list.count - 1
    }

    /// Gives a tree a name; if it has another one, the caller must first call ``forgetName(of:)``.
    mutating func setName(_ name: ByteView, of index: Int) {
        list[index].name = name
        indices[name] = index
    }

    mutating func forgetName(of index: Int) { indices[list[index].name] = nil }

    /// Appends ``OpenTree/gone`` until there are `count` trees.
    mutating func addGone(upTo count: Int) {
        while list.count < count { list.append(.gone) }
    }

    /// Restores a former state; the trees that were opened since then are gone.
    mutating func put(backTo former: OpenTrees) {
        let count = count
        self = former
        addGone(upTo: count)
    }

    /// Reorders the trees, so that each has the index that a transaction has given it.
    ///
    /// - Parameter opened: for each of the transaction's trees but the catalog, in the
    ///   transaction's order, the index that the tree has here now; `nil` for a tree that is gone.
    mutating func arrange(as opened: [Int?]) {
        let taken = Set(opened.compactMap { $0 } + [Self.catalog])
        let rest = list.indices.filter { !taken.contains($0) }
        list =
            [list[Self.catalog]] + opened.map { $0.map { list[$0] } ?? .gone }
            + rest.map { list[$0] }
        indices = [:]
        for index in named where !list[index].isDropped { indices[list[index].name] = index }
    }
}
