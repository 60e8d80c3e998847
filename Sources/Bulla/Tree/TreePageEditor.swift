package import BullaMemory

/// A leaf or branch page in private memory, for editing.
package struct TreePageEditor {
    let bytes: MutableByteView
    let kind: PageKind

    package init(_ bytes: MutableByteView, _ kind: PageKind) {
        self.bytes = bytes
        self.kind = kind
    }

    package var page: TreePage { TreePage(bytes.view, kind) }

    private var cellHeader: Int {
        kind == .leaf ? TreePageLayout.leafCellHeader : TreePageLayout.branchCellHeader
    }

    package func clear(level: Int, prefixByteCount: Int = 0) {
        bytes.fill(0, TreePageLayout.headerByteCount)
        bytes.store(kind.rawValue, at: TreePageLayout.kind)
        bytes.store(UInt8(level), at: TreePageLayout.level)
        bytes.store(UInt16(bytes.byteCount), at: TreePageLayout.cellStart)
        bytes.store(UInt16(prefixByteCount), at: TreePageLayout.prefixByteCount)
    }

    private func setCount(_ count: Int) { bytes.store(UInt16(count), at: TreePageLayout.count) }

    /// How many bytes lie between the last slot and the first cell.
    var gap: Int { page.cellStart - TreePage.slotOffset(page.count) }

    /// Whether a cell of `byteCount` bytes fits, if necessary after compacting the cells.
    func hasRoom(forCell byteCount: Int) -> Bool {
        gap + page.unusedByteCount >= byteCount + TreePageLayout.slotByteCount
    }

    /// Makes room at `index` for a cell, and returns where the cell's bytes go.
    private func makeCell(_ index: Int, key: ByteView, byteCount: Int) -> Int {
        // All keys must share the prefix, so shorten it if the new key does not begin with it.
        shortenPrefix(toFit: key, at: index)
        if gap < byteCount + TreePageLayout.slotByteCount { moveCellsTogether() }
        precondition(
            gap >= byteCount + TreePageLayout.slotByteCount, "a cell fits the page it goes to")
        let count = page.count
        let start = page.cellStart - byteCount
        let slot = TreePage.slotOffset(index)
        bytes.move(
            from: slot, to: slot + TreePageLayout.slotByteCount,
            count: (count - index) * TreePageLayout.slotByteCount)
        bytes.store(UInt16(start), at: TreePageLayout.cellStart)
        setCount(count + 1)
        bytes.store(UInt16(start), at: slot + TreePageLayout.slotCellOffset)
        bytes.store(UInt16(key.byteCount), at: slot + TreePageLayout.slotKeyByteCount)
        bytes.store(key.head(at: page.prefixByteCount), at: slot)
        return start
    }

    package func insertLeafCell(
        _ index: Int, key: ByteView, word: UInt32, payload: ByteView
    ) {
        let byteCount = TreePageLayout.leafCellHeader + key.byteCount + payload.byteCount
        let start = makeCell(index, key: key, byteCount: byteCount)
        bytes.store(word, at: start)
        bytes.copy(key, to: start + TreePageLayout.leafCellHeader)
        bytes.copy(payload, to: start + TreePageLayout.leafCellHeader + key.byteCount)
    }

    func insertBranchCell(_ index: Int, key: ByteView, child: PagePointer) {
        let start = makeCell(
            index, key: key, byteCount: TreePageLayout.branchCellHeader + key.byteCount)
        child.write(bytes, at: start)
        bytes.copy(key, to: start + TreePageLayout.branchCellHeader)
    }

    func setChild(_ index: Int, _ child: PagePointer) {
        child.write(bytes, at: page.cellOffset(index))
    }

    /// Overwrites a value with one of the same length.
    func overwritePayload(_ index: Int, word: UInt32, payload: ByteView) {
        bytes.store(word, at: page.cellOffset(index))
        let key = TreePageLayout.leafCellHeader + page.keyByteCount(index)
        bytes.copy(payload, to: page.cellOffset(index) + key)
    }

    package func removeCell(_ index: Int) {
        let byteCount = page.cell(index).byteCount
        let count = page.count
        let slot = TreePage.slotOffset(index)
        if page.cellOffset(index) == page.cellStart {
            bytes.store(UInt16(page.cellStart + byteCount), at: TreePageLayout.cellStart)
        } else {
            bytes.store(
                UInt16(page.unusedByteCount + byteCount), at: TreePageLayout.unusedByteCount)
        }
        bytes.move(
            from: slot + TreePageLayout.slotByteCount, to: slot,
            count: (count - index - 1) * TreePageLayout.slotByteCount)
        setCount(count - 1)
        invariant(
            page.unusedByteCount <= bytes.byteCount - page.cellStart,
            "no more bytes are unused than lie among the cells")
        // The first key of a branch is empty, so that it sorts below every key. So empty the key
        // that is now the first.
        if kind == .branch && index == 0 && count > 1 { dropFirstKey() }
    }

    /// Makes a branch's first key empty.
    func dropFirstKey() {
        let key = page.keyByteCount(0)
        let slot = TreePage.slotOffset(0)
        bytes.store(UInt16(0), at: slot + TreePageLayout.slotKeyByteCount)
        bytes.store(UInt32(0), at: slot)
        bytes.store(UInt16(page.unusedByteCount + key), at: TreePageLayout.unusedByteCount)
    }

    /// The index of the first key that shares the prefix: 0 in a leaf, 1 in a branch.
    private var firstKeyIndex: Int { kind == .branch ? 1 : 0 }

    /// Shortens the prefix to what it shares with `key`, which will stand at `index`.
    func shortenPrefix(toFit key: ByteView, at index: Int) {
        let prefix = page.prefixByteCount
        guard prefix > 0, index >= firstKeyIndex else { return }
        guard page.count > firstKeyIndex else { return setPrefix(0) }
        let shared = key.commonPrefix(page.key(firstKeyIndex))
        guard shared < prefix else { return }
        setPrefix(shared)
    }

    private func setPrefix(_ prefix: Int) {
        bytes.store(UInt16(prefix), at: TreePageLayout.prefixByteCount)
        for index in firstKeyIndex..<max(page.count, firstKeyIndex) {
            bytes.store(page.key(index).head(at: prefix), at: TreePage.slotOffset(index))
        }
    }

    /// Makes the prefix as long as the first and the last key allow.
    func lengthenPrefix() {
        let count = page.count
        guard count > firstKeyIndex else { return setPrefix(0) }
        setPrefix(page.key(firstKeyIndex).commonPrefix(page.key(count - 1)))
    }

    private func moveCellsTogether() {
        guard page.unusedByteCount > 0 else { return }
        invariant(
            page.isSound(contentByteCount: bytes.byteCount),
            "cells are disjoint and add up after each edit")
        let count = page.count
        // Move the highest cells first: each moves towards the end, and overwrites no cell that has
        // yet to move. Read all lengths beforehand, as a second defence against a forged page whose
        // cells overlap.
        let cells = (0..<count).map {
            (index: $0, offset: page.cellOffset($0), bytes: page.cell($0))
        }
        var start = bytes.byteCount
        for cell in cells.sorted(by: { $0.offset > $1.offset }) {
            start -= cell.bytes.byteCount
            bytes.copy(cell.bytes, to: start)
            bytes.store(
                UInt16(start), at: TreePage.slotOffset(cell.index) + TreePageLayout.slotCellOffset)
        }
        bytes.store(UInt16(start), at: TreePageLayout.cellStart)
        bytes.store(UInt16(0), at: TreePageLayout.unusedByteCount)
    }

    /// Appends cells of another page, in order.
    func append(_ source: TreePage, _ range: Range<Int>) {
        for index in range {
            if kind == .leaf {
                insertLeafCell(
                    page.count, key: source.key(index), word: source.valueWord(index),
                    payload: source.payload(index))
            } else {
                insertBranchCell(page.count, key: source.key(index), child: source.child(index))
            }
        }
    }
}
