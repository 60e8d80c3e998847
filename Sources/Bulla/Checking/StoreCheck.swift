internal import BullaMemory

/// Takes the entries that a check has verified, including their values.
protocol EntrySink: AnyObject {
    /// Begins a tree, to which the entries that follow belong.
    ///
    /// - Parameters:
    ///   - number: the number that the tree's record claims.
    func open(_ tree: ByteView, number: UInt64) throws(BullaError)
    /// Takes the entry at an index of a leaf.
    func put(_ page: TreePage, _ index: Int) throws(BullaError)
}

/// One walk over all pages of a store.
struct StoreCheck {
    let pager: Pager
    let record: CommitRecord
    private let format: PageFormat
    private let progress: ProgressReport?
    private let buffer: ScratchBuffer
    private let pageLimit: UInt64
    /// How many pages the trees use, according to the record; at most as many as the file has.
    private let pageTotal: Int
    private var pages: PageCensus
    var tree: ByteView?
    /// Whether ``tree``, the name of the current tree, is a name that a store accepts.
    private var isNamed = false
    /// The number of defects, listed or not.
    var defectCount = 0
    private let sink: (any EntrySink)?
    /// Why the check stops early, for example because the sink or `progress` threw, or memory is
    /// short.
    private var failure: BullaError?
    var report = CheckReport()

    init(
        _ pager: Pager, _ record: CommitRecord, progress: ProgressReport?,
        sink: (any EntrySink)? = nil
    ) throws(BullaError) {
        self.pager = pager
        self.record = record
        self.progress = progress
        self.sink = sink
        format = pager.format
        buffer = try Buffer.make(2 * format.pageByteCount)
        // A commit record can claim more pages than the file has.
        pageLimit = min(record.pageCount, try pager.pageLimit())
        pageTotal = Int(clamping: min(record.liveCount(format), pageLimit))
        pages = PageCensus(format.firstPage..<max(pageLimit, format.firstPage))
        report.commit = record.commit
    }

    /// - Throws: what the sink or `progress` throws, or any error because of which the check cannot
    ///   be carried out; defects are not thrown.
    mutating func run() throws(BullaError) {
        let isCut = pageLimit < record.pageCount
        if isCut {
            let message =
                "the file has \(pageLimit) pages, but its commit needs \(record.pageCount)"
            add(.missing, page: pageLimit, commit: record.commit, message)
        }
        var trees: [(ByteView, TreeRoot)] = []
        var names = ByteArena()
        var shortage: MemoryError?
        var kept = KeptPages(limit: pageLimit)
        kept.add(record.window.runs)
        checkTree(record.catalog) { page, index in
            let (key, value) = (page.key(index), page.payload(index))
            switch key.load(UInt8.self, at: 0) {
            case CatalogKey.treeMark:
                do throws(MemoryError) {
                    let name = try names.keep(key.slice(1, key.byteCount - 1))
                    trees.append((name, TreeRootLayout.read(value)))
                } catch { shortage = error }
            case CatalogKey.pendingMark, CatalogKey.heldMark:
                kept.add(PendingFrees.items(value).map { $0.run })
            case CatalogKey.chunkMark:
                kept.add(FreeMap.runs(value, chunk: CatalogKey.number(key)))
            default: break
            }
        }
        if let shortage { throw BullaError.memory("keep the names of trees", shortage) }
        // In a file that was cut short, this defect would only repeat the one added above.
        if !isCut, kept.count > pageLimit {
            add(.space, page: 0, commit: record.commit, "more pages are free than the file has")
        }
        checkNumbers(trees.map(\.1.number), of: record)
        let hasFoundNothing = defectCount == 0
        for (name, root) in trees where failure == nil {
            beginTree(name, root)
            checkTree(root) { _, _ in }
        }
        tree = nil
        if let failure { throw failure }
        // After a defect above, such as a lost page of the catalog, the check cannot know what each
        // page belongs to.
        if hasFoundNothing { checkCensus(kept.runs) }
        try progress?(completed)
    }

    private var completed: TaskProgress {
        TaskProgress(completed: report.verifiedPageCount, total: pageTotal)
    }

    /// Checks that the log's halves and the pages of `kept` (which are free, or freed and held back
    /// for now) belong to nothing else; if no defect was found by then, checks that every page
    /// belongs to something.
    private mutating func checkCensus(_ kept: [PageRun]) {
        for half in record.log.halves where !pages.add(half) {
            let message = "a half of the log lies in pages that a tree uses"
            add(.space, page: half.start, commit: record.commit, message)
        }
        for run in kept where !pages.add(run) {
            let message = "pages from here are free and in use, or free twice"
            add(.space, page: run.start, commit: 0, message)
        }
        guard report.isSound else { return }
        for run in pages.missing() {
            let message = "\(run.count) pages from here belong to nothing"
            add(.space, page: run.start, commit: 0, message)
        }
    }

    private mutating func checkTree(_ root: TreeRoot, _ visit: (TreePage, Int) -> Void) {
        if root == .empty(number: root.number) { return }
        guard root.height > 0, root.height <= PageFormat.heightLimit, !root.pointer.isNone else {
            let message = "its tree claims a height of \(root.height)"
            return add(.structure, root.pointer, KeyBounds(), message)
        }
        let defectsBefore = defectCount
        var counts = TreeCounts()
        checkPage(root.pointer, root.height - 1, KeyBounds(), &counts, visit)
        guard tree != nil else { return }
        report.entryCount += counts.entries
        report.largeValueCount += counts.largeValues
        // Entries below an unreadable page cannot be counted.
        guard defectCount == defectsBefore else { return }
        if counts.entries != root.entryCount || counts.largeValues != root.largeCount {
            add(
                .count, root.pointer, KeyBounds(),
                "its tree claims \(root.entryCount) entries with \(root.largeCount) "
                    + "large values, but has \(counts.entries) with \(counts.largeValues)")
        }
    }

    private struct TreeCounts {
        var entries = 0
        var largeValues = 0
    }

    private mutating func checkPage(
        _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds, _ counts: inout TreeCounts,
        _ visit: (TreePage, Int) -> Void
    ) {
        let kind: PageKind = level == 0 ? .leaf : .branch
        guard let content = open(pointer, kind, bounds) else { return }
        // A copy, because the buffer is used again for the pages below.
        let copy: ScratchBuffer
        do throws(BullaError) { copy = try pager.scratch.take() } catch {
            failure = failure ?? error
            return
        }
        defer { pager.scratch.giveBack(copy) }
        copy.bytes.copy(content, to: 0)
        let page = TreePage(copy.bytes.view.slice(0, content.byteCount), kind)
        guard check(page, pointer, kind, level, bounds) else { return }
        if level > 0 {
            checkChildren(page, pointer, level, bounds, &counts, visit)
        } else {
            checkEntries(page, pointer, &counts, visit)
        }
    }

    private mutating func checkChildren(
        _ page: TreePage, _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds,
        _ counts: inout TreeCounts, _ visit: (TreePage, Int) -> Void
    ) {
        for index in 0..<page.count {
            let (child, bounds) = (page.child(index), bounds.child(index, of: page))
            if child.birth > pointer.birth {
                add(.structure, child, bounds, "it is younger than the page that names it")
            }
            checkPage(child, level - 1, bounds, &counts, visit)
        }
    }

    private mutating func checkEntries(
        _ page: TreePage, _ pointer: PagePointer, _ counts: inout TreeCounts,
        _ visit: (TreePage, Int) -> Void
    ) {
        counts.entries += page.count
        for index in 0..<page.count {
            visit(page, index)
            let defectsBefore = defectCount
            checkKey(page.key(index), pointer)
            if page.isLarge(index) {
                counts.largeValues += 1
                checkValue(LargeValue(page.payload(index)), KeyBounds(page.key(index)))
            }
            if defectCount == defectsBefore { hand(page, index) }
        }
    }

    /// Gives a verified entry to the sink if there is one, and if the tree has a valid name.
    private mutating func hand(_ page: TreePage, _ index: Int) {
        guard let sink, tree != nil, isNamed, failure == nil else { return }
        do throws(BullaError) { try sink.put(page, index) } catch { failure = error }
    }

    /// Checks that each tree has a number of its own, which the store has given out.
    private mutating func checkNumbers(_ numbers: [UInt64], of record: CommitRecord) {
        let areGiven = numbers.allSatisfy { $0 > 0 && $0 < record.nextTree }
        guard !areGiven || Set(numbers).count < numbers.count else { return }
        let message = "trees have numbers that were not given out, or two have the same"
        add(.structure, page: 0, commit: record.commit, message)
    }

    private mutating func beginTree(_ name: ByteView, _ root: TreeRoot) {
        tree = name
        report.treeCount += 1
        isNamed = false
        do throws(BullaError) { try Limits.checkTreeName(name, of: pager.file.path) } catch {
            return add(.structure, root.pointer, KeyBounds(), error.message)
        }
        isNamed = true
        do throws(BullaError) { try sink?.open(name, number: root.number) } catch {
            failure = failure ?? error
        }
    }

    /// Reports a key that no writer could have stored, because no store accepts it.
    private mutating func checkKey(_ key: ByteView, _ pointer: PagePointer) {
        guard tree != nil else { return }
        do throws(BullaError) { try Limits.checkKey(key, format, of: pager.file.path) } catch {
            add(.structure, pointer, KeyBounds(key), error.message)
        }
    }

    private mutating func check(
        _ page: TreePage, _ pointer: PagePointer, _ kind: PageKind, _ level: Int,
        _ bounds: KeyBounds
    ) -> Bool {
        guard page.level == level, page.kindByte == kind.rawValue else {
            let message = "it is of kind \(page.kindByte) and level \(page.level), not \(level)"
            add(.structure, pointer, bounds, message)
            return false
        }
        guard page.isSound(contentByteCount: format.contentByteCount), page.count > 0 else {
            add(.structure, pointer, bounds, "its cells do not fit in it")
            return false
        }
        let first = level > 0 ? 1 : 0
        guard page.isOrdered(),
            (first..<max(page.count, first)).allSatisfy({ bounds.contains(page.key($0)) })
        else {
            let message = "its keys are not in order, or not between their separators"
            add(.structure, pointer, bounds, message)
            return false
        }
        return true
    }

    /// Reads a page from the file, whatever the cache holds; `nil` if the page is bad, or the check
    /// stops.
    private mutating func open(
        _ pointer: PagePointer, _ kind: PageKind, _ bounds: KeyBounds
    ) -> ByteView? {
        guard failure == nil else { return nil }
        guard pages.add(PageRun(start: pointer.number, count: 1)) else {
            let isThere = pointer.number >= format.firstPage && pointer.number < pageLimit
            add(
                isThere ? .space : .missing, pointer, bounds,
                isThere ? "it belongs to two things" : "the file has no such page")
            return nil
        }
        let content = buffer.bytes.slice(0, format.contentByteCount)
        let sealed = buffer.bytes.slice(format.pageByteCount, format.pageByteCount)
        do throws(BullaError) {
            // Do not read through the mapping: once it has met an unreadable sector, nothing that
            // is read through it is trusted.
            try pager.file.read(sealed, at: format.offset(pointer.number))
        } catch {
            add(error.defect ?? .missing, pointer, bounds, error.message)
            return nil
        }
        do throws(BullaError) {
            try pager.opener.open(sealed.view, pointer, kind, into: content)
        } catch {
            // A shortage of memory, for example, is no fault of the page.
            guard let kind = error.defect else {
                failure = failure ?? error
                return nil
            }
            add(kind, pointer, bounds, error.message)
            return nil
        }
        report.verifiedPageCount += 1
        guard report.verifiedPageCount % 1024 == 0 else { return content.view }
        do throws(BullaError) { try progress?(completed) } catch {
            failure = error
            return nil
        }
        return content.view
    }

    private mutating func checkValue(_ value: LargeValue, _ bounds: KeyBounds) {
        guard value.isPlausible(format) else {
            let message = "its value claims a height of \(value.height)"
            return add(.structure, value.root, bounds, message)
        }
        let defectsBefore = defectCount
        let count = checkValuePage(value.root, value.height, bounds)
        guard defectCount == defectsBefore, count != value.pageCount(format) else { return }
        let message = "its value needs \(value.pageCount(format)) pages, but names \(count)"
        add(.structure, value.root, bounds, message)
    }

    private mutating func checkValuePage(
        _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds
    ) -> UInt64 {
        guard let content = open(pointer, level > 0 ? .valueIndex : .value, bounds) else {
            return 0
        }
        guard level > 0 else { return 1 }
        let page = ValueIndexPage(bytes: content)
        guard page.level == level, page.kindByte == PageKind.valueIndex.rawValue,
            page.count <= LargeValue.fanOut(format)
        else {
            add(.structure, pointer, bounds, "it is not the index page of level \(level)")
            return 0
        }
        let children = (0..<page.count).map { page.child($0) }
        if let younger = children.first(where: { $0.birth > pointer.birth }) {
            add(.structure, younger, bounds, "it is younger than the page that names it")
            return 0
        }
        return children.reduce(0) { $0 + checkValuePage($1, level - 1, bounds) }
    }
}
