internal import BullaMemory

/// What a check of a whole store found.
public struct CheckReport: Sendable, Codable {
    /// Something that is not as it was written, or does not fit together.
    public struct Damage: Sendable, Codable {
        /// The page that is to blame.
        public let page: UInt64
        /// The commit that wrote it, as far as its parent tells.
        public let commit: UInt64
        /// The tree that it belongs to; `nil` for the catalog and for pages that belong to nothing.
        public let tree: String?
        /// What was found instead of what.
        public let message: String
    }

    /// The commit that was checked.
    public internal(set) var commit: UInt64 = 0
    /// Pages that were read from the file and verified.
    public internal(set) var pagesVerified: UInt64 = 0
    /// Entries of all named trees.
    public internal(set) var entries: UInt64 = 0
    /// Named trees.
    public internal(set) var trees: UInt64 = 0
    /// Entries whose value lies in pages of its own.
    public internal(set) var largeValues: UInt64 = 0
    /// What was found; at most ``damageLimit`` are listed.
    public internal(set) var damages: [Damage] = []

    /// How many damages are listed at most.
    public static let damageLimit = 10_000

    /// Whether nothing was found.
    public var isSound: Bool { damages.isEmpty }
}

extension Store {
    /// Reads every page of the newest durable commit from the file, and verifies it.
    ///
    /// That is: its seal or checksum, its structure, the order of its keys, the counts of its tree,
    /// and that every page of the file belongs to one thing only. Writers may go on meanwhile.
    ///
    /// - Parameters:
    ///   - progress: told how many pages were verified so far, now and then.
    /// - Returns: what was found; damage is not thrown.
    /// - Throws: what keeps the check from being done: `closed`, `io`, `readersFull`.
    /// - Complexity: one look at every page; one bit of memory for each.
    public func check(progress: ((UInt64) -> Void)? = nil) throws(BullaError) -> CheckReport {
        var (record, snapshot) = try pinnedRecord()
        while record.commit != snapshot.commit { (record, snapshot) = try pinnedRecord() }
        var check = try StoreCheck(core: core, record: record, progress: progress)
        check.run()
        _ = consume snapshot
        return check.report
    }

    private func pinnedRecord() throws(BullaError) -> (CommitRecord, TreeAccess) {
        let access = try snapshot().access
        return (try core.board.record(.durable), access)
    }
}

/// One walk over everything.
struct StoreCheck {
    private let core: StoreCore
    private let record: CommitRecord
    private let format: PageFormat
    private let progress: ((UInt64) -> Void)?
    private let buffer: ScratchBuffer
    private var pages: PageCensus
    private var tree: String?
    private(set) var report = CheckReport()

    init(
        core: StoreCore, record: CommitRecord, progress: ((UInt64) -> Void)?
    ) throws(BullaError) {
        self.core = core
        self.record = record
        self.progress = progress
        format = core.parts.header.format
        buffer = try Buffer.make(format.pageByteCount)
        pages = PageCensus(format.firstPage..<max(record.pageCount, format.firstPage))
        report.commit = record.commit
    }

    mutating func run() {
        var trees: [([UInt8], TreeRoot)] = []
        var kept: [PageRun] = record.run.count > 0 ? [record.run] : []
        checkTree(record.catalog, isCatalog: true) { page, index in
            let (key, value) = (page.key(index), page.payload(index))
            switch key.load(UInt8.self, at: 0) {
            case CatalogKey.treeMark:
                trees.append((Array(key.copied().dropFirst()), TreeRootLayout.read(value)))
            case CatalogKey.pendingMark: kept += PendingFrees.items(value).map { $0.run }
            case CatalogKey.chunkMark: kept += FreeMap.runs(value, chunk: CatalogKey.number(key))
            default: break
            }
        }
        for (name, root) in trees {
            tree = String(decoding: name, as: UTF8.self)
            report.trees += 1
            checkTree(root, isCatalog: false) { _, _ in }
        }
        tree = nil
        checkCensus(kept)
        progress?(report.pagesVerified)
    }

    /// Pages that are kept for later must belong to nothing, and every page to something.
    private mutating func checkCensus(_ kept: [PageRun]) {
        for run in kept where !pages.add(run) {
            add(run.start, 0, "pages from here are free and in use, or free twice")
        }
        for run in pages.missing() {
            add(run.start, 0, "\(run.count) pages from here belong to nothing")
        }
    }

    private mutating func add(_ page: UInt64, _ commit: UInt64, _ message: String) {
        guard report.damages.count < CheckReport.damageLimit else { return }
        report.damages.append(
            CheckReport.Damage(page: page, commit: commit, tree: tree, message: message))
    }

    private mutating func add(_ pointer: PagePointer, _ message: String) {
        add(pointer.number, pointer.birth, message)
    }

    private mutating func checkTree(
        _ root: TreeRoot, isCatalog: Bool, _ visit: (TreePage, Int) -> Void
    ) {
        guard !root.pointer.isNone else { return }
        guard root.height > 0, root.height <= PageFormat.heightLimit else {
            return add(root.pointer, "its tree claims a height of \(root.height)")
        }
        let damageCount = report.damages.count
        var counts = TreeCounts()
        checkPage(root.pointer, root.height - 1, KeyBounds(), &counts, visit)
        if !isCatalog {
            report.entries += counts.entries
            report.largeValues += counts.largeValues
        }
        // Below a page that cannot be read nothing can be counted.
        guard !isCatalog, report.damages.count == damageCount else { return }
        if counts.entries != root.entryCount || counts.largeValues != root.largeCount {
            add(
                root.pointer,
                "its tree claims \(root.entryCount) entries with \(root.largeCount) "
                    + "large values, it has \(counts.entries) with \(counts.largeValues)")
        }
    }

    private struct TreeCounts {
        var entries: UInt64 = 0
        var largeValues: UInt64 = 0
    }

    /// The keys that a page may hold, as the separators above it say.
    private struct KeyBounds {
        var lower: [UInt8]?
        var upper: [UInt8]?

        func contains(_ key: ByteView) -> Bool {
            (lower.map { $0.withView { $0.compare(key) <= 0 } } ?? true)
                && (upper.map { $0.withView { $0.compare(key) > 0 } } ?? true)
        }
    }

    private mutating func checkPage(
        _ pointer: PagePointer, _ level: Int, _ bounds: KeyBounds, _ counts: inout TreeCounts,
        _ visit: (TreePage, Int) -> Void
    ) {
        let kind: PageKind = level == 0 ? .leaf : .branch
        guard let content = open(pointer, kind) else { return }
        // A copy of its own, since the buffer serves the pages below.
        let bytes = content.copied()
        var children: [(PagePointer, KeyBounds)] = []
        var values: [LargeValue] = []
        let isSound = bytes.withView { view in
            let page = TreePage(view, kind)
            guard check(page, pointer, kind, level, bounds) else { return false }
            for index in 0..<page.count {
                if level > 0 {
                    children.append((page.child(index), childBounds(page, index, bounds)))
                } else {
                    visit(page, index)
                    if page.isLarge(index) { values.append(LargeValue(page.payload(index))) }
                }
            }
            counts.entries += level == 0 ? UInt64(page.count) : 0
            return true
        }
        guard isSound else { return }
        for (child, bounds) in children {
            if child.birth > pointer.birth {
                add(child, "it is younger than the page that names it")
            }
            checkPage(child, level - 1, bounds, &counts, visit)
        }
        counts.largeValues += UInt64(values.count)
        for value in values { checkValue(value) }
    }

    private func childBounds(_ page: TreePage, _ index: Int, _ bounds: KeyBounds) -> KeyBounds {
        KeyBounds(
            lower: index > 0 ? page.key(index).copied() : bounds.lower,
            upper: index + 1 < page.count ? page.key(index + 1).copied() : bounds.upper)
    }

    private mutating func check(
        _ page: TreePage, _ pointer: PagePointer, _ kind: PageKind, _ level: Int,
        _ bounds: KeyBounds
    ) -> Bool {
        guard page.level == level, page.kindByte == kind.rawValue else {
            add(pointer, "it is of kind \(page.kindByte) and level \(page.level), not \(level)")
            return false
        }
        guard page.isSound(contentByteCount: format.contentByteCount), page.count > 0 else {
            add(pointer, "its cells do not fit it")
            return false
        }
        let first = level > 0 ? 1 : 0
        guard page.isOrdered(),
            (first..<max(page.count, first)).allSatisfy({ bounds.contains(page.key($0)) })
        else {
            add(pointer, "its keys are not in order, or not between their separators")
            return false
        }
        return true
    }

    /// Reads a page from the file, whatever the cache holds.
    private mutating func open(_ pointer: PagePointer, _ kind: PageKind) -> ByteView? {
        guard pages.add(PageRun(start: pointer.number, count: 1)) else {
            add(pointer, "the file has no such page, or it belongs to two things")
            return nil
        }
        let content = buffer.bytes.slice(0, format.contentByteCount)
        do throws(BullaError) { try core.pager.open(pointer, kind, into: content) } catch {
            add(pointer, error.message)
            return nil
        }
        report.pagesVerified += 1
        if report.pagesVerified % 1024 == 0 { progress?(report.pagesVerified) }
        return content.view
    }

    private mutating func checkValue(_ value: LargeValue) {
        guard value.height > 0, value.height <= PageFormat.heightLimit else {
            return add(value.root, "its value claims a height of \(value.height)")
        }
        let damageCount = report.damages.count
        let count = checkValuePage(value.root, value.height)
        guard report.damages.count == damageCount, count != value.pageCount(format) else { return }
        add(value.root, "its value needs \(value.pageCount(format)) pages, it names \(count)")
    }

    private mutating func checkValuePage(_ pointer: PagePointer, _ level: Int) -> UInt64 {
        guard let content = open(pointer, level > 0 ? .valueIndex : .value) else { return 0 }
        guard level > 0 else { return 1 }
        let page = ValueIndexPage(bytes: content)
        guard page.level == level, page.kindByte == PageKind.valueIndex.rawValue,
            page.count <= LargeValue.fanOut(format)
        else {
            add(pointer, "it is not the index page of level \(level)")
            return 0
        }
        let children = (0..<page.count).map { page.child($0) }
        return children.reduce(0) { $0 + checkValuePage($1, level - 1) }
    }
}

/// Which pages have been met: one bit for each that the file has.
struct PageCensus {
    private let range: Range<UInt64>
    private var met: [UInt64]

    /// - Parameters:
    ///   - range: pages that the file was found long enough for.
    init(_ range: Range<UInt64>) {
        self.range = range
        met = [UInt64](repeating: 0, count: Int((range.upperBound - range.lowerBound + 63) / 64))
    }

    /// Adds pages; `false` where one lies outside or was met before.
    mutating func add(_ run: PageRun) -> Bool {
        guard run.start >= range.lowerBound, run.start < range.upperBound,
            run.count <= range.upperBound - run.start
        else { return false }
        var isFresh = true
        for number in run.start..<run.end {
            let bit = number - range.lowerBound
            let mask: UInt64 = 1 << (bit % 64)
            if met[Int(bit / 64)] & mask != 0 { isFresh = false }
            met[Int(bit / 64)] |= mask
        }
        return isFresh
    }

    /// Runs of pages that were not met; as many as a report lists.
    func missing() -> [PageRun] {
        var runs: [PageRun] = []
        for number in range {
            let bit = number - range.lowerBound
            guard met[Int(bit / 64)] & (1 << (bit % 64)) == 0 else { continue }
            if let last = runs.last, last.end == number {
                runs[runs.count - 1].count += 1
            } else if runs.count < CheckReport.damageLimit {
                runs.append(PageRun(start: number, count: 1))
            } else {
                break
            }
        }
        return runs
    }
}
