internal import BullaMemory

/// Visits the entries of a range, leaf by leaf.
struct TreeScan<Source: PageSource> {
    let source: Source
    let root: TreeRoot
    let range: KeyRange
    let order: ScanOrder
    /// Called after each leaf; an error ends the scan.
    var checkUse: (() throws(BullaError) -> Void)?

    /// Lends each entry's key and value; a large value is lent as a copy.
    @inline(__always)
    func run(_ body: (ByteView, ByteView) throws -> ScanStep) throws {
        try forEachEntry { page, index in try lend(page, index, body) }
    }

    @inline(__always)
    func lend(
        _ page: TreePage, _ index: Int, _ body: (ByteView, ByteView) throws -> ScanStep
    ) throws -> ScanStep {
        guard page.isLarge(index) else { return try body(page.key(index), page.payload(index)) }
        let value = LargeValue(page.payload(index))
        return try source.lendWhole(value) { bytes in try body(page.key(index), bytes) }
    }

    /// Lends each entry as a leaf and the entry's index in it.
    @inline(__always)
    func forEachEntry(_ body: (TreePage, Int) throws -> ScanStep) throws {
        _ = try forEachLeaf { page, entries, _ in try visit(page, entries, body) }
    }

    /// Lends each leaf, with the indexes of the entries that belong to the scan, and the leaf's
    /// pointer.
    ///
    /// - Returns: `.stop` if `body` returned that.
    @inline(__always)
    func forEachLeaf(
        _ body: (TreePage, Range<Int>, PagePointer) throws -> ScanStep
    ) throws -> ScanStep {
        var path = TreePath(root)
        var leafCount: UInt64 = 0
        var ahead = LeavesAhead()
        try source.operate { () throws(BullaError) in try start(&path) }
        while let leaf = path.leaf {
            leafCount += 1
            try checkCount(leafCount, leaf.pointer)
            var isLast = false
            let step = try source.lend(leaf.pointer, .leaf) { bytes in
                let page = TreePage(bytes, .leaf)
                try source.checkLevel(page, leaf.pointer, .leaf, 0)
                let count = page.count
                let entries = entries(of: page, count, from: leaf.index)
                isLast =
                    order == .ascending ? entries.upperBound < count : entries.lowerBound > 0
                return try body(page, entries, leaf.pointer)
            }
            try checkUse?()
            guard ahead.isOriginal else { throw usedAfterFork }
            guard step == .next else { return .stop }
            guard !isLast else { return .next }
            if ahead.isDue(), !source.pager.isPlain {
                try ahead.look(source, range, order, beyond: path)
            }
            guard
                try source.operate({ () throws(BullaError) in try path.nextLeaf(source, order) })
            else { return .next }
        }
        return .next
    }

    private var usedAfterFork: BullaError {
        BullaError(
            .usedAfterFork,
            "scan \(source.pager.file.path): it was opened before a fork; open it again here")
    }

    /// Refuses a tree whose scan has passed more leaves than there can be pages: the tree names a
    /// page more than once, so its scan could be endless.
    private func checkCount(_ leafCount: UInt64, _ pointer: PagePointer) throws(BullaError) {
        guard leafCount % 65536 == 0, leafCount > (try source.pageLimit()) else { return }
        throw source.defect(pointer, "pages are named more than once")
    }

    private func start(_ path: inout TreePath) throws(BullaError) {
        switch order {
        case .ascending:
            if range.lower.isEmpty { return try path.goToEnd(source, .ascending) }
            try seek(&path, range.lower)
        case .descending:
            guard let upper = range.upper else { return try path.goToEnd(source, .descending) }
            try seek(&path, upper)
            // A descending scan begins with the last entry within its upper bound. If the leaf has
            // no such entry, the index becomes -1, and the scan goes on to the leaf before.
            guard let leaf = path.leaf else { return }
            path.setLeafIndex(
                range.endIndex(in: try source.treePage(leaf.pointer, level: 0)) - 1)
        }
    }

    private func seek(_ path: inout TreePath, _ key: [UInt8]) throws(BullaError) {
        try key.withTypedView { key throws(BullaError) in try path.seek(source, key) }
    }

    /// The indexes of a leaf's entries that are in the range.
    private func entries(of page: TreePage, _ count: Int, from index: Int) -> Range<Int> {
        switch order {
        case .ascending:
            let end = range.endIndex(in: page)
            return min(index, end)..<end
        case .descending:
            let end = min(index, count - 1) + 1
            return min(range.startIndex(in: page), end)..<end
        }
    }

    /// Visits entries of a leaf in the scan's order.
    @inline(__always)
    func visit(
        _ page: TreePage, _ entries: Range<Int>, _ body: (TreePage, Int) throws -> ScanStep
    ) throws -> ScanStep {
        switch order {
        case .ascending:
            var index = entries.lowerBound
            while index < entries.upperBound {
                page.prefetchCell(
                    index &+ TreePage.scanDistance, lineCount: TreePage.cellLineCount)
                if try body(page, index) == .stop { return .stop }
                index &+= 1
            }
        case .descending:
            var index = entries.upperBound
            while index > entries.lowerBound {
                index &-= 1
                page.prefetchCell(
                    index &- TreePage.scanDistance, lineCount: TreePage.cellLineCount)
                if try body(page, index) == .stop { return .stop }
            }
        }
        return .next
    }
}
