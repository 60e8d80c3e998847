internal import BullaMemory

/// Decides which leaves are opened for a scan before the scan reaches them.
///
/// A scan opens a stretch of coming leaves when it reaches a leaf that the cache lacks. The first
/// stretch has one leaf; each later stretch has at most twice as many as the stretch before it.
/// While a long scan visits one stretch, other threads open the next ones. When a scan ends early,
/// it has opened no more leaves in vain than it has visited.
struct LeavesAhead: ~Copyable {
    /// The maximum number of leaves in a stretch: 512 KiB of pages of 4 KiB is enough to keep
    /// several threads busy, and little enough to stay in the processor's cache.
    private static let limit = 128
    /// How many stretches are opened at a time, including the one that the scan visits next.
    ///
    /// With fewer, other threads would have nothing to open before the scan looks ahead again.
    private static let stretchLimit = 4
    /// How many leaves a scan passes before it looks ahead again, if the last look found the next
    /// leaf in the cache.
    private static let leafCountIfPresent = 16

    /// The maximum number of leaves that the next stretch may have.
    private var count = 1
    /// How many leaves the scan had visited when it last looked ahead.
    private var visitedCount = 0
    /// How many leaves the scan visits from one look ahead to the next.
    private var leafCount = 1
    /// How many more leaves the scan visits before it looks ahead again.
    private var left = 0
    /// Pages that were opened for the scan, and that it is visiting or has passed; only the newest
    /// are kept.
    private var opened: [PagePointer] = []
    /// Stretches that are being opened, in the order in which the scan reaches them.
    private var stretches: [Stretch] = []
    /// Leads to the last leaf of the newest stretch; `nil` if no leaf is known to follow.
    private var frontier: TreePath?
    private var pages: PagesAhead?
    /// Detects a forked child, in which no other thread is left.
    private let sentinel = ForkSentinel()

    private struct Stretch {
        let pages: PagesAhead.Stretch
        /// How many leaves it has, including those that were in the cache.
        let leafCount: Int
    }

    deinit {
        if isOriginal { pages?.abandon(stretches.map(\.pages)) }
    }

    /// Whether this is the process that began the scan, and not its forked child.
    @inline(__always)
    var isOriginal: Bool { sentinel?.isOriginal ?? true }

    /// Whether it is time to look ahead; called at each leaf.
    @inline(__always)
    mutating func isDue() -> Bool {
        guard left > 0 else { return true }
        left &-= 1
        return false
    }

    /// Opens the leaves that come next, if the cache lacks the first of them.
    ///
    /// Call this outside any operation.
    ///
    /// - Parameter path: leads to the leaf that the scan has just visited.
    @inline(never)
    mutating func look(
        _ source: some PageSource, _ range: KeyRange, _ order: ScanOrder, beyond path: TreePath
    ) throws(BullaError) {
        visitedCount += leafCount
        if stretches.isEmpty {
            let isMissing = try source.operate { () throws(BullaError) in
                try path.isNextMissing(source, order)
            }
            guard isMissing else { return visit(Self.leafCountIfPresent, []) }
            frontier = path.aboveLeaf()
            let (claimed, leafCount) = claimNext(source, range, order)
            guard claimed.count >= PagesAhead.manyCount else {
                source.pager.open(claimed[...], .leaf)
                return visit(leafCount, claimed.map(\.pointer))
            }
            begin(claimed, leafCount, source)
        }
        while mayBegin(source) {
            let (claimed, leafCount) = claimNext(source, range, order)
            begin(claimed, leafCount, source)
        }
        let stretch = stretches.removeFirst()
        pages?.finish(stretch.pages)
        visit(stretch.leafCount, stretch.pages.pointers)
    }

    /// Lets the scan visit `leafCount` leaves before it looks ahead again.
    ///
    /// - Parameter pages: the ones among these leaves that were opened for the scan.
    private mutating func visit(_ leafCount: Int, _ pages: [PagePointer]) {
        if !pages.isEmpty { opened = (opened + pages).suffix(Self.stretchLimit * Self.limit) }
        self.leafCount = max(leafCount, 1)
        left = self.leafCount - 1
    }

    /// Whether to begin another stretch while the scan visits earlier ones.
    private func mayBegin(_ source: some PageSource) -> Bool {
        guard let pages, frontier != nil, stretches.count < Self.stretchLimit,
            stretches.reduce(count, { $0 + $1.leafCount }) <= visitedCount
        else { return false }
        // Other threads cannot evict pages that are being opened, even while the caller's closure
        // waits. So these pages must be a small part of the cache, and none of them may be in a
        // cache that other processes share.
        let cache = source.pager.cache
        return pages.helperLimit > 0 && cache.shared == nil
            && cache.region.frameCount >= 32 * Self.stretchLimit * Self.limit
    }

    /// Claims frames for those leaves of the next stretch that the cache lacks.
    ///
    /// - Returns: the frames, and how many leaves the stretch has.
    private mutating func claimNext(
        _ source: some PageSource, _ range: KeyRange, _ order: ScanOrder
    ) -> (claimed: [ClaimedFrame], leafCount: Int) {
        guard var frontier else { return ([], 0) }
        // Ignore an error: a scan that reaches the page at fault will meet the error again.
        let leaves = try? source.operate { () throws(BullaError) in
            try frontier.takeLeaves(source, range, order, limit: min(count, visitedCount))
        }
        count = min(2 * count, Self.limit)
        guard let leaves, !leaves.isEmpty else {
            self.frontier = nil
            return ([], 0)
        }
        let (claimed, isShort) = source.pager.cache.claimMissing(leaves, after: opened)
        self.frontier = isShort ? nil : frontier
        guard isShort else { return (claimed, leaves.count) }
        // End the stretch with the last leaf for which the cache had room, so that the scan looks
        // ahead again there.
        let last = claimed.last.flatMap { claim in leaves.lastIndex(of: claim.pointer) }
        return (claimed, last.map { $0 + 1 } ?? 0)
    }

    /// Lets other threads begin to open a stretch.
    private mutating func begin(
        _ claimed: [ClaimedFrame], _ leafCount: Int, _ source: some PageSource
    ) {
        let pages = self.pages ?? PagesAhead(source.pager, .leaf)
        self.pages = pages
        guard leafCount > 0 else { return }
        stretches.append(Stretch(pages: pages.begin(claimed), leafCount: leafCount))
    }
}
