internal import BullaMemory

extension PageSource {
    /// The approximate limit on the number of pages of a value that are opened together.
    private static var runPageCount: Int { 4096 }

    /// Lends a copy of a large value of up to ``PageFormat/lentValueByteLimit`` bytes.
    func lendWhole<R>(_ value: LargeValue, _ body: (ByteView) throws -> R) throws -> R {
        guard value.byteCount <= PageFormat.lentValueByteLimit else {
            throw BullaError(
                .valueTooLarge,
                "lend a value of \(pager.file.path): it has \(value.byteCount) bytes, at most "
                    + "\(PageFormat.lentValueByteLimit) are lent as a whole; stream it")
        }
        try checkHeight(of: value)
        let buffer = try pager.valueBuffers.take(Int(value.byteCount))
        defer { pager.valueBuffers.giveBack(buffer) }
        let whole = buffer.bytes.slice(0, Int(value.byteCount))
        try read(value, at: 0, into: whole)
        return try body(whole.view)
    }

    /// Refuses a value that no writer could have stored.
    func checkHeight(of value: LargeValue) throws(BullaError) {
        guard value.isPlausible(format) else {
            throw defect(
                value.root,
                "its value claims \(value.byteCount) bytes and a height of \(value.height)")
        }
    }

    /// Fills `target` with a large value's bytes from `offset` on.
    ///
    /// The bytes to read must lie inside the value. The pages of a long value bypass the cache,
    /// because they would evict everything else.
    func read(
        _ value: LargeValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        guard value.byteCount > LargeValue.cachedByteLimit else {
            return try copy(value, at: offset, into: target)
        }
        let unit = UInt64(format.contentByteCount)
        var position = offset
        let end = offset + UInt64(target.byteCount)
        while position < end {
            let inside = position % unit
            let wholeCount = inside == 0 ? Int((end - position) / unit) : 0
            var pages = try valuePages(value, position / unit, atMost: max(wholeCount, 1))
            while pages.count < min(wholeCount, Self.runPageCount) {
                let next = position / unit + UInt64(pages.count)
                pages += try valuePages(value, next, atMost: wholeCount - pages.count)
            }
            let count =
                wholeCount > 0 ? UInt64(pages.count) * unit : min(unit - inside, end - position)
            let part = target.slice(Int(position - offset), Int(count))
            if wholeCount > 0 {
                try open(pages, .value, into: part)
            } else {
                try openPart(pages[0], Int(inside), to: part)
            }
            position += count
        }
    }

    /// Fills `target` through the cache, and opens missing pages many at a time.
    private func copy(
        _ value: LargeValue, at offset: UInt64, into target: MutableByteView
    ) throws(BullaError) {
        let unit = UInt64(format.contentByteCount)
        var position = offset
        let end = offset + UInt64(target.byteCount)
        var pages: ArraySlice<PagePointer> = []
        while position < end {
            if pages.isEmpty {
                let (first, last) = (position / unit, (end - 1) / unit)
                pages = try valuePages(value, first, atMost: Int(last - first) + 1)[...]
                openMissing(pages)
            }
            let inside = position % unit
            let count = min(unit - inside, end - position)
            let part = target.slice(Int(position - offset), Int(count))
            try copy(pages.removeFirst(), Int(inside), to: part)
            position += count
        }
    }

    /// Opens several pages of a value together if the cache lacks the first one.
    ///
    /// Ignores errors, because the read meets them again when it copies from those pages.
    private func openMissing(_ pages: ArraySlice<PagePointer>) {
        guard pages.count > 1, !pager.isPlain, isMissing(pages[pages.startIndex]) else { return }
        pager.openTogether(Array(pages), .value)
    }

    /// Copies a part of a value page through the cache.
    private func copy(
        _ pointer: PagePointer, _ inside: Int, to target: MutableByteView
    ) throws(BullaError) {
        try operate { () throws(BullaError) in
            let content = try content(pointer, .value)
            target.copy(content.slice(inside, target.byteCount), to: 0)
            try checkUnchanged(pointer)
        }
    }

    /// Copies a part of a value page, bypassing the cache.
    private func openPart(
        _ pointer: PagePointer, _ inside: Int, to target: MutableByteView
    ) throws(BullaError) {
        try pager.scratch.lend { page throws(BullaError) in
            let content = page.slice(0, format.contentByteCount)
            try open(pointer, .value, into: content)
            target.copy(content.view.slice(inside, target.byteCount), to: 0)
        }
    }

    /// Pointers to the value pages of a large value from page `number` on, where 0 is the first
    /// page.
    ///
    /// One call returns no more pointers than one index page holds.
    private func valuePages(
        _ value: LargeValue, _ number: UInt64, atMost limit: Int
    ) throws(BullaError) -> [PagePointer] {
        try operate { () throws(BullaError) in
            let fanOut = UInt64(LargeValue.fanOut(format))
            guard value.isPlausible(format), value.byteCount <= PageFormat.valueByteLimit,
                number < value.pageCount(format)
            else { throw defect(value.root, "its value claims a height of \(value.height)") }
            var pointers = [value.root]
            for level in stride(from: value.height, to: 0, by: -1) {
                let page = try indexPage(pointers[0], level: level)
                var divisor: UInt64 = 1
                for _ in 1..<level {
                    let (product, isOver) = divisor.multipliedReportingOverflow(by: fanOut)
                    // The product overflows only if the height is forged; then treat every page as
                    // lying under the first child.
                    divisor = isOver ? .max : product
                }
                let index = Int(number / divisor % fanOut)
                // Load the count once, because a plain page can change at any time.
                let childCount = page.count
                guard index < childCount else {
                    throw defect(pointers[0], "it names fewer pages than its value has")
                }
                let count = level == 1 ? min(limit, childCount - index) : 1
                pointers = (index..<index + count).map { page.child($0) }
            }
            return pointers
        }
    }

    /// An index page of a large value.
    ///
    /// Call this inside an operation.
    func indexPage(_ pointer: PagePointer, level: Int) throws(BullaError) -> ValueIndexPage {
        try indexPage(in: try content(pointer, .valueIndex), pointer, level)
    }

    private func indexPage(
        in content: ByteView, _ pointer: PagePointer, _ level: Int
    ) throws(BullaError) -> ValueIndexPage {
        let page = ValueIndexPage(bytes: content)
        guard page.level == level, page.kindByte == PageKind.valueIndex.rawValue,
            page.count <= LargeValue.fanOut(format)
        else { throw defect(pointer, "it is not the index page of level \(level)") }
        return page
    }

    /// Visits every page of a large value; visits an index page after the pages below it.
    ///
    /// - Parameters:
    ///   - budget: shared by all values of a walk, because in a forged file many entries can name
    ///     the same value.
    func forEachPage(
        of value: LargeValue, _ budget: inout VisitBudget,
        _ body: (PagePointer, PageKind) throws(BullaError) -> Void
    ) throws(BullaError) {
        try checkHeight(of: value)
        try forEachPage(value.root, value.height, &budget, body)
    }

    private func forEachPage(
        _ pointer: PagePointer, _ level: Int, _ budget: inout VisitBudget,
        _ body: (PagePointer, PageKind) throws(BullaError) -> Void
    ) throws(BullaError) {
        try budget.checkNumber(pointer, self)
        try budget.countVisit(pointer, self)
        if level > 0 {
            let children = try children(of: pointer, level)
            guard children.allSatisfy({ $0.birth <= pointer.birth }) else {
                throw namesYounger(pointer)
            }
            for child in children { try forEachPage(child, level - 1, &budget, body) }
        }
        try body(pointer, level > 0 ? .valueIndex : .value)
    }

    /// The children of an index page, read without the cache.
    ///
    /// Only a ``PageWalk`` and the release of a value need this. Each reads an index page only
    /// once, so caching the page would gain nothing.
    private func children(
        of pointer: PagePointer, _ level: Int
    ) throws(BullaError) -> [PagePointer] {
        try pager.scratch.lend { buffer throws(BullaError) in
            let content = buffer.slice(0, format.contentByteCount)
            try open(pointer, .valueIndex, into: content)
            let page = try indexPage(in: content.view, pointer, level)
            return (0..<page.count).map { page.child($0) }
        }
    }
}
