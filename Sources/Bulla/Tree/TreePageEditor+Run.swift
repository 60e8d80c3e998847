internal import BullaMemory

extension TreePageEditor {
    /// Appends the first cells of a range of another page, unchanged: as many as there is room for.
    ///
    /// Cells that lie next to one another, as in a page that was filled in key order, are copied
    /// together.
    ///
    /// - Parameters:
    ///   - source: another page, whose structure is sound. In a branch, the range must not include
    ///     the first cell, whose key is empty.
    /// - Returns: the first cell that was not appended.
    /// - Complexity: copies each byte once, and writes one slot for each cell.
    func appendRun(_ source: TreePage, _ range: Range<Int>) -> Int {
        let run = CellRun(source, range, room: gap)
        guard !run.range.isEmpty else { return run.range.upperBound }
        let prefix = fitPrefix(source, run.range)
        let start = page.cellStart - run.byteCount
        if run.isTogether {
            bytes.copy(source.bytes.slice(run.start, run.byteCount), to: start)
        }
        let keepsHeads = prefix == source.prefixByteCount
        var (slot, end) = (TreePage.slotOffset(page.count), page.cellStart)
        for index in run.range {
            let cell = source.cell(index)
            end -= cell.byteCount
            if !run.isTogether { bytes.copy(cell, to: end) }
            let head =
                keepsHeads
                ? source.bytes.load(UInt32.self, at: TreePage.slotOffset(index))
                : source.key(index).head(at: prefix)
            bytes.store(head, at: slot)
            bytes.store(UInt16(end), at: slot + TreePageLayout.slotCellOffset)
            bytes.store(
                UInt16(source.keyByteCount(index)), at: slot + TreePageLayout.slotKeyByteCount)
            slot += TreePageLayout.slotByteCount
        }
        bytes.store(UInt16(start), at: TreePageLayout.cellStart)
        bytes.store(UInt16(page.count + run.range.count), at: TreePageLayout.count)
        return run.range.upperBound
    }

    /// Shortens this page's prefix so that the keys in a range of `source` share it, and returns
    /// its length; an empty page takes over the prefix of `source`.
    private func fitPrefix(_ source: TreePage, _ range: Range<Int>) -> Int {
        if page.count == 0 {
            bytes.store(UInt16(source.prefixByteCount), at: TreePageLayout.prefixByteCount)
        } else {
            shortenPrefix(toFit: source.key(range.lowerBound), at: page.count)
            shortenPrefix(toFit: source.key(range.upperBound - 1), at: page.count)
        }
        return page.prefixByteCount
    }
}

/// Consecutive cells of a page that, together with their slots, fit into a gap.
private struct CellRun {
    private(set) var range: Range<Int>
    private(set) var byteCount = 0
    /// Whether each cell begins where the next one ends.
    private(set) var isTogether = true
    /// Where the last cell begins.
    private(set) var start = 0

    init(_ page: TreePage, _ cells: Range<Int>, room: Int) {
        range = cells.lowerBound..<cells.lowerBound
        for index in cells {
            let count = page.cell(index).byteCount
            let slots = (range.count + 1) * TreePageLayout.slotByteCount
            guard byteCount + count + slots <= room else { return }
            let offset = page.cellOffset(index)
            if index > cells.lowerBound, offset + count != start { isTogether = false }
            start = offset
            byteCount += count
            range = range.lowerBound..<index + 1
        }
    }
}
