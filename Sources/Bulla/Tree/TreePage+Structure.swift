internal import BullaMemory

extension TreePage {
    /// Whether slots and cells fit the page and do not overlap, and the header counts the unused
    /// bytes correctly, so that the page can be edited.
    ///
    /// - Complexity: one read of every slot and every cell's header; memory of one bit for every
    ///   byte of the page.
    func isSound(contentByteCount: Int) -> Bool {
        let (count, cellStart) = (count, cellStart)
        guard Self.slotOffset(count) <= cellStart, cellStart <= contentByteCount else {
            return false
        }
        let limits = CellLimits(self, contentByteCount)
        var cellBytes = 0
        var taken = ByteMarks(byteCount: contentByteCount)
        for index in 0..<count {
            let (offset, byteCount) = (cellOffset(index), limits.byteCount(of: index, in: self))
            guard offset >= cellStart, offset + byteCount <= contentByteCount,
                limits.allow(index, keyByteCount(index), byteCount), taken.take(offset, byteCount)
            else { return false }
            cellBytes += byteCount
        }
        return cellBytes + unusedByteCount == contentByteCount - cellStart
    }

    /// Whether every child and every large value to which this page points was born no later than
    /// `birth`.
    func namesNoPage(youngerThan birth: UInt64) -> Bool {
        guard kindByte == PageKind.leaf.rawValue else {
            return (0..<count).allSatisfy { child($0).birth <= birth }
        }
        return (0..<count).allSatisfy {
            !isLarge($0) || LargeValue(payload($0)).root.birth <= birth
        }
    }

    /// Whether keys ascend strictly and heads match their keys.
    func isOrdered() -> Bool {
        let (count, prefixByteCount) = (count, prefixByteCount)
        let first = kindByte == PageKind.branch.rawValue ? 1 : 0
        guard count > first else { return true }
        var former = key(first)
        var formerHead: UInt32 = 0
        let prefix = former.slice(0, prefixByteCount)
        for index in first..<count {
            let key = key(index)
            let head = key.head(at: prefixByteCount)
            guard bytes.load(UInt32.self, at: Self.slotOffset(index)) == head,
                prefixByteCount == 0 || key.slice(0, prefixByteCount).compare(prefix) == 0
            else { return false }
            // If the heads differ, they sort as their keys do, so the keys need not be compared.
            guard
                index == first || formerHead < head
                    || (formerHead == head && former.compare(key) < 0)
            else { return false }
            (former, formerHead) = (key, head)
        }
        return true
    }
}

/// The limits on the length of a page's cells.
private struct CellLimits {
    private let isLeaf: Bool
    private let keyByteLimit: Int
    private let cellByteLimit: Int
    private let prefixByteCount: Int

    init(_ page: TreePage, _ contentByteCount: Int) {
        let format = PageFormat(pageByteCount: contentByteCount + PageFormat.trailerByteCount)
        isLeaf = page.kindByte == PageKind.leaf.rawValue
        keyByteLimit = format.keyByteLimit
        cellByteLimit = format.cellByteLimit - TreePageLayout.slotByteCount
        prefixByteCount = page.prefixByteCount
    }

    /// The length that a cell claims to have, whether or not it is valid.
    func byteCount(of index: Int, in page: TreePage) -> Int {
        let keyByteCount = page.keyByteCount(index)
        guard isLeaf else { return TreePageLayout.branchCellHeader + keyByteCount }
        let word = page.valueWord(index)
        let payload =
            word & TreePageLayout.largeMark != 0 ? LargeValue.descriptorByteCount : Int(word)
        return TreePageLayout.leafCellHeader + keyByteCount + payload
    }

    func allow(_ index: Int, _ keyByteCount: Int, _ byteCount: Int) -> Bool {
        let isFirstOfBranch = !isLeaf && index == 0
        return keyByteCount <= keyByteLimit && byteCount <= cellByteLimit
            && (isFirstOfBranch ? keyByteCount == 0 : keyByteCount >= prefixByteCount)
    }
}

/// Marks the bytes of a page that belong to a cell.
private struct ByteMarks {
    private var words: [UInt64]

    init(byteCount: Int) { words = [UInt64](repeating: 0, count: byteCount / 64 + 1) }

    /// Marks bytes, which must lie in the page; `false` if any of them was marked already.
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
    /// The length of the longest cell, including its slot: a third of the room in a leaf.
    ///
    /// The value of a longer entry goes to pages of its own.
    ///
    /// The limit guarantees that any leaf can be split: the cells of a full leaf and a new cell
    /// take at most four thirds of the room, and half of that, plus one more cell, fits in one
    /// page.
    package var cellByteLimit: Int { (contentByteCount - TreePageLayout.headerByteCount) / 3 }
}
