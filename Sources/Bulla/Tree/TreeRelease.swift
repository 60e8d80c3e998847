/// Frees every page of a tree.
struct TreeRelease<Pages: PageEditing> {
    private let pages: Pages
    /// Whether the tree has large values; otherwise its leaves need not be read.
    private let hasLarge: Bool
    private var budget: VisitBudget

    /// Frees a tree's pages, and leaves it empty.
    static func run(_ tree: Int, of pages: Pages) throws(BullaError) {
        let root = pages[rootOf: tree]
        guard !root.pointer.isNone else { return }
        try pages.checkHeight(root)
        var release = TreeRelease(
            pages: pages, hasLarge: root.largeCount > 0,
            budget: VisitBudget(pageCount: try pages.pageLimit()))
        try release.release(root.pointer, level: root.height - 1)
        pages[rootOf: tree] = .empty(number: root.number)
    }

    private mutating func release(_ pointer: PagePointer, level: Int) throws(BullaError) {
        // A changed page needs no check: it has no page number yet, and only one pointer leads to
        // it.
        if pointer.dirtyIndex(token: pages.dirtyToken) == nil {
            try budget.checkNumber(pointer, pages)
            try budget.countVisit(pointer, pages)
        }
        if level > 0 || hasLarge {
            let (children, values) = try parts(pointer, level: level)
            for child in children { try release(child, level: level - 1) }
            for value in values {
                try pages.forEachPage(of: value, &budget) { [pages] page, _ in pages.release(page) }
            }
        }
        pages.release(pointer)
    }

    private func parts(
        _ pointer: PagePointer, level: Int
    ) throws(BullaError) -> ([PagePointer], [LargeValue]) {
        try pages.operate { () throws(BullaError) in
            let page = try pages.treePage(pointer, level: level)
            try pages.checkBirths(page, pointer)
            guard level == 0 else { return ((0..<page.count).map { page.child($0) }, []) }
            let large = (0..<page.count).filter { page.isLarge($0) }
            return ([], large.map { LargeValue(page.payload($0)) })
        }
    }
}
