internal import BullaMemory

/// Finds where the entries of leaves lie, and lends them in runs.
///
/// The places are kept in memory of their own. So a place that was checked does not change, even if
/// the leaf is overwritten while it is lent.
struct EntryRuns {
    /// The maximum number of entries in a run.
    ///
    /// They are few enough that the beginnings of their cells are still in the processor's
    /// first-level cache when the caller reads them.
    static let limit = 128

    private var places = InlineArray<128, EntryPlace>(repeating: .empty)

    /// Lends entries of a leaf in a scan's order, in runs that are as long as a run may be.
    ///
    /// - Throws: what `body` throws; `corrupted` if a cell does not lie in the page, or claims a
    ///   value that is too long for any store.
    @inline(__always)
    mutating func lend<Source: PageSource>(
        _ scan: TreeScan<Source>, _ page: TreePage, _ entries: Range<Int>, of leaf: PagePointer,
        _ body: (ByteView, Span<EntryPlace>) throws -> ScanStep
    ) throws -> ScanStep {
        let isAscending = scan.order == .ascending
        let step = isAscending ? 1 : -1
        var first = isAscending ? entries.lowerBound : entries.upperBound &- 1
        var left = entries.count
        while left > 0 {
            let count = min(left, Self.limit)
            guard find(page, from: first, step, count: count) else {
                throw scan.source.defect(
                    leaf, "a cell does not lie in it, or claims too long a value")
            }
            let places = places.span.extracting(0..<count)
            guard try body(page.bytes, places) == .next else { return .stop }
            first &+= count &* step
            left &-= count
        }
        return .next
    }

    /// Finds the places of consecutive entries; `false` if `place` is `nil` for one of them.
    @inline(__always)
    private mutating func find(
        _ page: TreePage, from first: Int, _ step: Int, count: Int
    ) -> Bool {
        var index = first
        for number in 0..<count {
            page.prefetchCell(
                index &+ step &* TreePage.scanDistance, lineCount: TreePage.cellLineCount)
            guard let place = page.place(index) else { return false }
            places[number] = place
            index &+= step
        }
        return true
    }

    /// Lends a single entry, which need not lie in a page, as a run of its own.
    @inline(__always)
    static func lend(
        _ key: ByteView, _ value: ByteView,
        _ body: (ByteView, Span<EntryPlace>) throws -> ScanStep
    ) throws -> ScanStep {
        // Key and value adjoin in a memtable's memory. If these do not, this is a forked child,
        // where that memory is empty.
        guard let bytes = key.joined(with: value) else {
            throw BullaError(
                .usedAfterFork, "scan in runs: the store was opened before a fork; open it again")
        }
        let place = EntryPlace(key: 0, key.byteCount, valueByteCount: value.byteCount)
        let places = InlineArray<1, EntryPlace>(repeating: place)
        return try body(bytes, places.span)
    }
}

extension TreePage {
    /// Where an entry of a leaf lies; `nil` if its cell does not lie in the page, or claims a value
    /// that is too long for any store.
    ///
    /// Each number is loaded once, because a plain page can change at any time.
    @inline(__always)
    fileprivate func place(_ index: Int) -> EntryPlace? {
        let (cell, keyByteCount) = (cellOffset(index), keyByteCount(index))
        let word = bytes.load(UInt32.self, at: cell)
        let isLarge = word & TreePageLayout.largeMark != 0
        let start = cell &+ TreePageLayout.leafCellHeader
        let payload = isLarge ? LargeValue.descriptorByteCount : Int(word)
        // No sum can overflow: two numbers have 16 bits, and one has 31.
        guard start &+ keyByteCount &+ payload <= bytes.byteCount else { return nil }
        guard isLarge else {
            return EntryPlace(key: start, keyByteCount, valueByteCount: payload)
        }
        let value = LargeValue(bytes.slice(start &+ keyByteCount, payload))
        guard value.byteCount <= PageFormat.valueByteLimit else { return nil }
        return EntryPlace(key: start, keyByteCount, largeValueByteCount: value.byteCount)
    }
}

extension TreeScan {
    /// Lends the entries of the range in runs, each with the bytes of its leaf.
    @inline(__always)
    func lendRuns(_ body: (ByteView, Span<EntryPlace>) throws -> ScanStep) throws {
        var runs = EntryRuns()
        _ = try forEachLeaf { page, entries, leaf in
            try runs.lend(self, page, entries, of: leaf, body)
        }
    }
}
