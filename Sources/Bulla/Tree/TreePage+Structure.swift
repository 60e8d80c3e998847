internal import BullaMemory

extension TreePage {
    /// Whether slots and cells fit the page, stand apart and add up, so that it may be edited.
    ///
    /// - Complexity: one look at every slot and cell, and a bit for every byte of the page.
    func isSound(contentByteCount: Int) -> Bool {
        let slotsEnd = Self.slotOffset(count)
        guard slotsEnd <= cellStart, cellStart <= contentByteCount else { return false }
        var cellBytes = 0
        var taken = ByteMarks(byteCount: contentByteCount)
        for index in 0..<count {
            guard isCellInside(index, contentByteCount),
                taken.take(cellOffset(index), cellByteCount(index))
            else { return false }
            cellBytes += cellByteCount(index)
        }
        return cellBytes + unusedByteCount == contentByteCount - cellStart
    }

    /// Whether the pages that it names, children or values, were there when it was written.
    func namesNoPage(youngerThan birth: UInt64) -> Bool {
        guard kindByte == PageKind.leaf.rawValue else {
            return (0..<count).allSatisfy { child($0).birth <= birth }
        }
        return (0..<count).allSatisfy {
            !isLarge($0) || LargeValue(payload($0)).root.birth <= birth
        }
    }

    private func isCellInside(_ index: Int, _ contentByteCount: Int) -> Bool {
        let format = PageFormat(pageByteCount: contentByteCount + PageFormat.trailerByteCount)
        guard keyByteCount(index) <= format.keyByteLimit,
            cellByteCount(index) + TreePageLayout.slotByteCount <= format.cellByteLimit
        else { return false }
        let offset = cellOffset(index)
        let isFirstOfBranch = kindByte == PageKind.branch.rawValue && index == 0
        return offset >= cellStart && offset + cellByteCount(index) <= contentByteCount
            && (isFirstOfBranch ? keyByteCount(0) == 0 : keyByteCount(index) >= prefixByteCount)
    }

    /// What a cell's lengths add up to, whether or not they are true.
    private func cellByteCount(_ index: Int) -> Int {
        guard kindByte == PageKind.leaf.rawValue else {
            return TreePageLayout.branchCellHeader + keyByteCount(index)
        }
        let word = valueWord(index)
        let payload =
            word & TreePageLayout.largeMark != 0
            ? LargeValue.descriptorByteCount : Int(word)
        return TreePageLayout.leafCellHeader + keyByteCount(index) + payload
    }

    /// Whether keys ascend strictly and heads are what their keys say.
    func isOrdered() -> Bool {
        let first = kindByte == PageKind.branch.rawValue ? 1 : 0
        guard count > first else { return true }
        let prefix = key(first).slice(0, prefixByteCount)
        for index in first..<count {
            let key = key(index)
            guard key.slice(0, prefixByteCount).compare(prefix) == 0,
                bytes.load(UInt32.self, at: Self.slotOffset(index))
                    == key.head(at: prefixByteCount),
                index == first || self.key(index - 1).compare(key) < 0
            else { return false }
        }
        return true
    }
}

/// Which bytes of a page belong to a cell.
private struct ByteMarks {
    private var words: [UInt64]

    init(byteCount: Int) { words = [UInt64](repeating: 0, count: byteCount / 64 + 1) }

    /// Marks bytes, all of which the page has; `false` when one of them was marked before.
    mutating func take(_ offset: Int, _ byteCount: Int) -> Bool {
        var bit = offset
        let end = offset + byteCount
        while bit < end {
            let count = min(64 - bit % 64, end - bit)
            let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(bit % 64)
            guard words[bit / 64] & mask == 0 else { return false }
            words[bit / 64] |= mask
            bit += count
        }
        return true
    }
}

extension PageFormat {
    /// A cell with its slot above a third of what a leaf has for them keeps its value elsewhere.
    ///
    /// So any leaf can be split: half of a full leaf and of the new cell, and one cell more, fit.
    package var cellByteLimit: Int { (contentByteCount - TreePageLayout.headerByteCount) / 3 }
}
