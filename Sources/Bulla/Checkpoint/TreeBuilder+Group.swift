internal import BullaMemory

extension TreeBuilder {
    /// Where the new cells of a group lie; a group consists of the cells that replace one old
    /// page's cells.
    enum GroupFill {
        /// At the end of the tree: full pages stay full.
        case appended
        /// After all cells of the old page: full pages stay full, unless the last page would be too
        /// empty.
        case extended
        case scattered
    }

    /// Whether a level's current page is too empty to count as complete.
    func isShort(_ level: Int) -> Bool {
        guard level < levels.count, let current = levels[level].current else { return false }
        return isShort(page: current)
    }

    private func isShort(page: Int) -> Bool {
        sink.usedByteCount(page) < format.contentByteCount / 4
    }

    /// Whether a page has at least a tenth of its room left once a separator and cells of
    /// `usedByteCount` bytes are added.
    ///
    /// A fuller page would be split again by the next insertion.
    func fits(_ page: Int, and usedByteCount: Int, _ separator: ByteView) -> Bool {
        let room = format.contentByteCount - TreePageLayout.headerByteCount
        return sink.usedByteCount(page) + usedByteCount + separator.byteCount <= room * 9 / 10
    }

    /// Ends a group, which consists of the cells that replace one old page's cells.
    mutating func endGroup(_ level: Int, _ fill: GroupFill) throws(BullaError) {
        guard level < levels.count, let current = levels[level].current else { return }
        if levels[level].isDivided, let held = levels[level].held {
            if fill == .scattered || fill == .extended && isShort(page: current) {
                try divide(held, current, level)
            }
        }
        levels[level].isDivided = false
        guard isShort(page: current) else {
            try closeHeld(level)
            levels[level] = Level(held: current)
            return
        }
        let used = sink.usedByteCount(current)
        guard let held = levels[level].held, fits(held, and: used, sink.separator(current)) else {
            return
        }
        append(current, to: held)
        sink.drop(current)
        levels[level].current = nil
    }

    /// Appends all cells of one page to another.
    private func append(_ source: Int, to target: Int) {
        append(
            sink.page(source), 0..<sink.page(source).count, to: target,
            first: sink.separator(source))
    }

    /// Appends cells to a page that has room for them.
    ///
    /// - Parameter first: the key for a branch's first cell, if the range includes that cell.
    private func append(
        _ source: TreePage, _ range: Range<Int>, to target: Int, first: ByteView
    ) {
        let editor = sink.editor(target)
        var range = range
        if editor.kind == .branch, let index = range.first,
            index == 0 || sink.page(target).count == 0
        {
            let key = index == 0 ? first : source.key(index)
            let isFirst = sink.page(target).count == 0
            editor.insertBranchCell(
                sink.page(target).count, key: isFirst ? emptyView : key,
                child: source.child(index))
            range = index + 1..<range.upperBound
        }
        let end = editor.appendRun(source, range)
        precondition(end == range.upperBound, "cells were measured before they are appended")
    }

    /// Moves cells from a full page to the next page, until both are about equally full.
    private func divide(_ left: Int, _ right: Int, _ level: Int) throws(BullaError) {
        try sink.pager.scratch.lend { one throws(BullaError) in
            try sink.pager.scratch.lend { other throws(BullaError) in
                divide(left, right, copy(left, to: one), copy(right, to: other), level)
            }
        }
    }

    private func copy(_ page: Int, to buffer: MutableByteView) -> TreePage {
        let source = sink.page(page)
        buffer.copy(source.bytes, to: 0)
        return TreePage(buffer.view.slice(0, source.bytes.byteCount), sink.editor(page).kind)
    }

    /// - Parameters:
    ///   - former: a copy of the left page.
    ///   - rest: a copy of the right page.
    private func divide(
        _ left: Int, _ right: Int, _ former: TreePage, _ rest: TreePage, _ level: Int
    ) {
        // A branch's first cell has no key; it gets its key back when it is no longer the first.
        let separator = sink.separator(right)
        let split = splitPoint(former, rest, adding: level == 0 ? 0 : separator.byteCount)
        guard split < former.count else { return }
        for page in [left, right] { sink.editor(page).clear(level: level) }
        append(former, 0..<split, to: left, first: emptyView)
        append(former, split..<former.count, to: right, first: emptyView)
        append(rest, 0..<rest.count, to: right, first: separator)
        let key = former.key(split)
        sink.setSeparator(
            right, level == 0 ? TreePage.separator(former.key(split - 1), key) : key)
    }

    /// How many cells of a full page stay in it; all of them if the next page is at least as
    /// full.
    ///
    /// - Parameter extra: how many bytes the next page takes on besides the moved cells.
    private func splitPoint(_ left: TreePage, _ right: TreePage, adding extra: Int) -> Int {
        let byteCount = format.contentByteCount
        let room = byteCount - TreePageLayout.headerByteCount - extra
        var (more, less) = (
            left.usedByteCount(contentByteCount: byteCount),
            right.usedByteCount(contentByteCount: byteCount)
        )
        var split = left.count
        while split > 1, more > less {
            let cell = left.cell(split - 1).byteCount + TreePageLayout.slotByteCount
            // The next page must not become fuller than this page is now.
            guard less + cell <= min(more, room) else { break }
            (more, less) = (more - cell, less + cell)
            split -= 1
        }
        return split
    }
}
