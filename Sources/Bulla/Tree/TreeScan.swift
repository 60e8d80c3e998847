internal import BullaMemory

/// Visits the entries of a range, leaf by leaf.
struct TreeScan<Source: PageSource> {
    let source: Source
    let root: TreeRoot
    let range: KeyRange
    let order: ScanOrder
    /// Asked after each leaf; what it throws ends the scan.
    var checkUse: (() throws(BullaError) -> Void)?

    /// Lends each entry's key and value; a large value as a copy.
    @inline(__always)
    func run(_ body: (ByteView, ByteView) throws -> ScanStep) throws {
        try forEachEntry { page, index in
            guard page.isLarge(index) else { return try body(page.key(index), page.payload(index)) }
            let value = LargeValue(page.payload(index))
            return try source.lendWhole(value) { bytes in try body(page.key(index), bytes) }
        }
    }

    /// Lends each entry by its leaf and its place there.
    @inline(__always)
    func forEachEntry(_ body: (TreePage, Int) throws -> ScanStep) throws {
        var path = TreePath(root)
        var leafCount: UInt64 = 0
        try source.operate { () throws(BullaError) in try start(&path) }
        while let leaf = path.leaf {
            leafCount += 1
            try checkCount(leafCount, leaf.pointer)
            let step = try source.lend(leaf.pointer, .leaf) { bytes in
                let page = TreePage(bytes, .leaf)
                try source.checkLevel(page, leaf.pointer, .leaf, 0)
                return try visit(page, from: leaf.index, body)
            }
            try checkUse?()
            guard step == .next,
                try source.operate({ () throws(BullaError) in try path.nextLeaf(source, order) })
            else { return }
        }
    }

    /// A tree that names a page many times would be scanned for ever.
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
            // A descending visit takes the entries below its bound; the leaf may have none of them.
            guard let leaf = path.leaf else { return }
            path.setLeafIndex(
                range.endIndex(in: try source.treePage(leaf.pointer, level: 0)) - 1)
        }
    }

    private func seek(_ path: inout TreePath, _ key: [UInt8]) throws(BullaError) {
        try key.withTypedView { key throws(BullaError) in try path.seek(source, key) }
    }

    /// Visits what of a leaf is in the range.
    ///
    /// `stop`: the scan is over.
    private func visit(
        _ page: TreePage, from index: Int, _ body: (TreePage, Int) throws -> ScanStep
    ) throws -> ScanStep {
        switch order {
        case .ascending:
            let end = range.endIndex(in: page)
            var index = index
            while index < end {
                if try body(page, index) == .stop { return .stop }
                index += 1
            }
            return end < page.count ? .stop : .next
        case .descending:
            let start = range.startIndex(in: page)
            var index = min(index, page.count - 1)
            while index >= start {
                if try body(page, index) == .stop { return .stop }
                index -= 1
            }
            return start > 0 ? .stop : .next
        }
    }
}
