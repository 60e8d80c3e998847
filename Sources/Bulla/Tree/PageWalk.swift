internal import BullaCipher
internal import BullaMemory

/// Visits the pages that were born after a commit.
///
/// A pointer contains its page's birth, and no page is younger than the page that points to it. So
/// a walk that follows only pointers with births after that commit visits exactly these pages.
final class PageWalk: Sendable {
    private let pager: Pager
    private let file: any StorageFile
    private let format: PageFormat

    init(_ pager: Pager) {
        self.pager = pager
        file = pager.file
        format = pager.format
    }

    /// Visits the commit's pages that were born after `since`: verifies each page, and passes it to
    /// `body` as it lies in the file, sealed.
    func forEachSealedPage(
        _ record: CommitRecord, since: UInt64,
        _ body: (PagePointer, ByteView) throws(BullaError) -> Void
    ) throws(BullaError) {
        let buffer = try Buffer.make(format.pageByteCount * 2)
        try walk(record, since: since) { pointer, kind throws(BullaError) in
            try pager.mapping.checkNumber(pointer)
            let sealed = buffer.bytes.slice(0, format.pageByteCount)
            try file.read(sealed, at: format.offset(pointer.number))
            try verify(sealed.view, pointer, kind, scratch: buffer)
            try body(pointer, sealed.view)
        }
    }

    private func verify(
        _ sealed: ByteView, _ pointer: PagePointer, _ kind: PageKind, scratch: ScratchBuffer
    ) throws(BullaError) {
        let content = scratch.bytes.slice(format.pageByteCount, format.contentByteCount)
        try pager.opener.open(sealed, pointer, kind, into: content)
    }

    /// Visits the commit's pages that were born after `since`, each one after the pages below it.
    func walk(
        _ record: CommitRecord, since: UInt64,
        _ body: (PagePointer, PageKind) throws(BullaError) -> Void
    ) throws(BullaError) {
        var trees: [TreeRoot] = []
        var budget = VisitBudget(pageCount: try pager.pageLimit())
        try walkTree(record.catalog, since, &budget, body) { key, page, index in
            // A tree whose root changed after `since` has its record in a leaf that the walk
            // visits.
            if key.load(UInt8.self, at: 0) == CatalogKey.treeMark {
                trees.append(TreeRootLayout.read(page.payload(index)))
            }
        }
        for tree in trees { try walkTree(tree, since, &budget, body) { _, _, _ in } }
    }

    private func walkTree(
        _ root: TreeRoot, _ since: UInt64, _ budget: inout VisitBudget,
        _ body: (PagePointer, PageKind) throws(BullaError) -> Void,
        _ visitEntry: (ByteView, TreePage, Int) -> Void
    ) throws(BullaError) {
        guard !root.pointer.isNone, root.pointer.birth > since else { return }
        try pager.checkHeight(root)
        try walkPage(root.pointer, root.height - 1, since, &budget, body, visitEntry)
    }

    private func walkPage(
        _ pointer: PagePointer, _ level: Int, _ since: UInt64, _ budget: inout VisitBudget,
        _ body: (PagePointer, PageKind) throws(BullaError) -> Void,
        _ visitEntry: (ByteView, TreePage, Int) -> Void
    ) throws(BullaError) {
        try budget.countVisit(pointer, pager)
        var children: [PagePointer] = []
        var values: [LargeValue] = []
        try pager.operate { () throws(BullaError) in
            let page = try pager.treePage(pointer, level: level)
            for index in 0..<page.count {
                if level > 0 {
                    children.append(page.child(index))
                } else {
                    visitEntry(page.key(index), page, index)
                    if page.isLarge(index) { values.append(LargeValue(page.payload(index))) }
                }
            }
        }
        for child in children where child.birth > since {
            guard child.birth <= pointer.birth else {
                throw pager.namesYounger(pointer)
            }
            try walkPage(child, level - 1, since, &budget, body, visitEntry)
        }
        for value in values where value.root.birth > since {
            try pager.forEachPage(of: value, &budget) { page, kind throws(BullaError) in
                if page.birth > since { try body(page, kind) }
            }
        }
        try body(pointer, level > 0 ? .branch : .leaf)
    }
}
