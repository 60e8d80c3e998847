internal import BullaMemory

/// The leaves that a scan has opened together, or lets other threads open meanwhile.
///
/// A scan that reaches a leaf that the cache lacks opens the coming leaves together: one at first,
/// then twice as many each time. A long scan visits one stretch of leaves while other threads open
/// the next. A scan that ends early has opened at most as many leaves in vain as it has visited.
struct LeavesAhead: ~Copyable {
    /// The most leaves to open together: 1 MiB of pages of 4 KiB is enough to keep several threads
    /// busy, and little enough to stay in the processor's cache.
    private static let limit = 256
    /// How many leaves a scan passes before it looks ahead again, if the next one is in memory.
    private static let stride = 16

    /// How many leaves to open next; doubled each time.
    private var count = 1
    /// How many leaves lie between the former look ahead and the next.
    private var stretchLength = 0
    /// How many leaves the scan had visited when it last looked ahead.
    private var visitedCount = 0
    /// How many more leaves the scan passes before it looks ahead again.
    private var left = 0
    /// The pages that were opened for the stretch that the scan now visits.
    private var current: [PagePointer] = []
    /// The pages that were opened for the stretch before.
    private var passed: [PagePointer] = []
    /// The next stretch, and how many leaves it has, those in the cache included.
    private var next: PagesAhead?
    private var nextLeafCount = 0

    deinit { next?.abandon() }

    /// Whether it is time to look ahead; called at each leaf.
    @inline(__always)
    mutating func isDue() -> Bool {
        guard left > 0 else { return true }
        left &-= 1
        return false
    }

    /// Looks ahead at the end of a stretch.
    ///
    /// - Parameter path: leads to the stretch's last leaf.
    @inline(never)
    mutating func look(
        _ source: some PageSource, _ range: KeyRange, _ order: ScanOrder, beyond path: TreePath
    ) throws(BullaError) {
        visitedCount += stretchLength
        var readyCount = finishNext()
        if readyCount == 0 {
            let isMissing = try source.operate { () throws(BullaError) in
                try path.isNextMissing(source, order)
            }
            guard isMissing else { return pass(Self.stride) }
            let leaves = coming(source, range, order, beyond: path, limit: count)
            count = min(2 * count, Self.limit)
            open(leaves, source)
            readyCount = leaves.count
        }
        pass(readyCount)
        let limit = readyCount + Self.limit
        guard visitedCount >= limit, Self.isWorthOverlapping(source) else { return }
        let leaves = coming(source, range, order, beyond: path, limit: limit)
        begin(Array(leaves.dropFirst(readyCount)), source)
    }

    /// Lets the scan pass leaves before it looks ahead again.
    private mutating func pass(_ leafCount: Int) {
        (stretchLength, left) = (leafCount, max(leafCount - 1, 0))
    }

    /// Whether another processor can help, and frames for two stretches are a small part of the
    /// cache.
    private static func isWorthOverlapping(_ source: some PageSource) -> Bool {
        ProcessorCount.allowed > 1 && source.pager.cache.region.frameCount >= 16 * limit
    }

    /// The leaves that the scan will reach; none after an error, which is left to the scan, since
    /// it may end before it reaches the page.
    private func coming(
        _ source: some PageSource, _ range: KeyRange, _ order: ScanOrder, beyond path: TreePath,
        limit: Int
    ) -> [PagePointer] {
        let leaves = try? source.operate { () throws(BullaError) in
            try path.comingLeaves(source, range, order, limit: limit)
        }
        return leaves ?? []
    }

    /// Opens a stretch that the scan reaches next.
    private mutating func open(_ leaves: [PagePointer], _ source: some PageSource) {
        let pages = source.pager.pagesAhead(leaves, .leaf, after: current)
        pages?.begin()
        pages?.finish()
        (passed, current) = ([], pages?.pointers ?? [])
    }

    /// Lets other threads open the stretch after the one that the scan reaches next.
    private mutating func begin(_ leaves: [PagePointer], _ source: some PageSource) {
        guard !leaves.isEmpty else { return }
        next = source.pager.pagesAhead(leaves, .leaf, after: passed)
        nextLeafCount = leaves.count
        next?.begin()
    }

    /// Waits until the next stretch is open, and takes part in opening it.
    ///
    /// - Returns: how many leaves it has; 0 if there is none.
    private mutating func finishNext() -> Int {
        guard let pages = next else { return 0 }
        pages.finish()
        next = nil
        (passed, current) = (current, pages.pointers)
        return nextLeafCount
    }
}
