internal import BullaMemory

/// A source of a tree's pages: a pager, or a write transaction with changed pages of its own.
protocol PageSource {
    var format: PageFormat { get }
    /// The content of a page.
    ///
    /// The content is valid until the operation ends, or opens another page, which can evict this
    /// one.
    func content(_ pointer: PagePointer, _ kind: PageKind) throws(BullaError) -> ByteView
    /// Throws if a page was overwritten while it was read.
    func checkUnchanged(_ pointer: PagePointer) throws(BullaError)
    /// Runs a short operation, which can read pages and must not wait.
    func operate<R: ~Copyable>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R
    /// Lends a page to a caller's closure, which may run for longer than an operation may.
    func lend<R>(
        _ pointer: PagePointer, _ kind: PageKind, _ body: (ByteView) throws -> R
    ) throws -> R
    /// Opens a page into the caller's memory.
    func open(
        _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError)
    /// Opens pages, and puts their contents one after the other into the caller's memory.
    func open(
        _ pointers: [PagePointer], _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError)
    func defect(_ pointer: PagePointer, _ what: String) -> BullaError
    /// Starts loading a page's first cache lines, if the page is in memory.
    func prefetch(_ pointer: PagePointer, lineCount: Int)
    /// Whether the cache lacks a page; a hint.
    func isMissing(_ pointer: PagePointer) -> Bool
    /// The pager, which also lends buffers.
    var pager: Pager { get }
    /// The maximum number of pages that the file can have.
    func pageLimit() throws(BullaError) -> UInt64
}

/// How many pages a walk may visit: as many as the file has.
///
/// A sound tree names each page once. A forged tree can name a page many times at many levels, and
/// without a limit a walk over it might never end.
struct VisitBudget {
    private let pageCount: UInt64
    private var left: UInt64

    init(pageCount: UInt64) {
        self.pageCount = pageCount
        left = pageCount
    }

    /// Refuses a page number outside the file.
    ///
    /// Reading the page would refuse such a number too, but a walk can free a page without reading
    /// it.
    func checkNumber(_ pointer: PagePointer, _ source: some PageSource) throws(BullaError) {
        guard pointer.number >= source.format.firstPage, pointer.number < pageCount else {
            throw source.defect(pointer, "the file has no such page")
        }
    }

    /// Refuses to visit more pages than the file has.
    mutating func countVisit(_ pointer: PagePointer, _ source: some PageSource) throws(BullaError) {
        guard left > 0 else { throw source.defect(pointer, "pages are named more than once") }
        left -= 1
    }
}

extension PageSource {
    // No page counts as missing, so that nothing opens pages ahead: the pages that a transaction
    // has changed are not in the file.
    func isMissing(_ pointer: PagePointer) -> Bool { false }

    /// The error for a page that points to a page younger than itself.
    func namesYounger(_ pointer: PagePointer) -> BullaError {
        defect(pointer, "it names a page that is younger than itself")
    }

    /// A tree's page, which must have the level that the path to it implies.
    @inline(__always)
    func treePage(_ pointer: PagePointer, level: Int) throws(BullaError) -> TreePage {
        let kind: PageKind = level == 0 ? .leaf : .branch
        let page = TreePage(try content(pointer, kind), kind)
        try checkLevel(page, pointer, kind, level)
        return page
    }

    @inline(__always)
    func checkLevel(
        _ page: TreePage, _ pointer: PagePointer, _ kind: PageKind, _ level: Int
    ) throws(BullaError) {
        guard page.level == level, page.kindByte == kind.rawValue else {
            throw defect(
                pointer, "it is of kind \(page.kindByte) and level \(page.level), not \(level)")
        }
    }

    /// Throws if a page has an invalid structure, because editing trusts the structure.
    ///
    /// Also throws if the page is empty, because no writer leaves an empty page.
    ///
    /// - Parameter page: must be a private copy, because other programs can change the file of a
    ///   plain store.
    func checkStructure(_ page: TreePage, _ pointer: PagePointer) throws(BullaError) {
        guard page.isSound(contentByteCount: format.contentByteCount), page.isOrdered() else {
            throw defect(pointer, "its cells do not fit it, or its keys are not in order")
        }
        guard page.count > 0 else { throw defect(pointer, "it holds nothing") }
    }

    /// The pointer to the leaf to which `key` belongs.
    ///
    /// The tree must not be empty. Call this inside an operation.
    @inline(__always)
    func leafPointer(of root: TreeRoot, for key: ByteView) throws(BullaError) -> PagePointer {
        try checkHeight(root)
        var pointer = root.pointer
        var level = root.height &- 1
        while level > 0 {
            let page = try treePage(pointer, level: level)
            pointer = page.child(page.childIndex(for: key))
            level &-= 1
        }
        return pointer
    }

    @inline(__always)
    func checkHeight(_ root: TreeRoot) throws(BullaError) {
        guard root.height > 0, root.height <= PageFormat.heightLimit else {
            throw defect(root.pointer, "its tree claims a height of \(root.height)")
        }
    }
}

extension Pager: PageSource {
    var pager: Pager { self }

    func pageLimit() throws(BullaError) -> UInt64 {
        try file.byteCount() / UInt64(format.pageByteCount)
    }

    @inline(__always)
    func lend<R>(
        _ pointer: PagePointer, _ kind: PageKind, _ body: (ByteView) throws -> R
    ) throws -> R {
        guard !isPlain else {
            let result = try body(try content(pointer, kind))
            try checkUnchanged(pointer)
            try mapping.checkFaults()
            return result
        }
        Epoch.enter()
        let page: ByteView
        do throws(BullaError) { page = try content(pointer, kind) } catch {
            Epoch.leave()
            throw error
        }
        return try holding(page, page, body)
    }

    /// Ends the operation, and lends `body` a part of a page that the operation opened.
    ///
    /// The page's frame is held until `body` returns; if it cannot be held, `body` gets a copy.
    @inline(__always)
    func holding<R>(
        _ page: ByteView, _ part: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R {
        if isPlain { return try body(part) }
        guard Epoch.hold(FrameRegion.name(ofContent: page)) else {
            return try lendingCopy(part, body)
        }
        Epoch.leave()
        defer { Epoch.unhold() }
        return try body(part)
    }

    /// Ends the operation, and lends a copy of a part of a page that the operation opened.
    @inline(never)
    private func lendingCopy<R>(
        _ part: ByteView, _ body: (ByteView) throws -> R
    ) throws -> R {
        let buffer: ScratchBuffer
        do throws(BullaError) { buffer = try scratch.take() } catch {
            Epoch.leave()
            throw error
        }
        defer { scratch.giveBack(buffer) }
        buffer.bytes.copy(part, to: 0)
        Epoch.leave()
        return try body(buffer.bytes.view.slice(0, part.byteCount))
    }
}
