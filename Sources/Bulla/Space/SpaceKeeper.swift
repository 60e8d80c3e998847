internal import BullaMemory

/// Hands out page numbers to one change of the trees, and takes them back.
///
/// The records of free pages are in the catalog, which is one of the trees that the change edits.
/// So most of the work of keeping those records can itself change pages of the catalog.
/// ``SpaceLedger``, which has access to the catalog, does that work.
final class SpaceKeeper {
    let format: PageFormat
    private let file: any StorageFile
    private let growth: FileGrowth
    let board: any ReclaimBoard
    /// The commit that this change builds on.
    let base: UInt64
    /// The number of the commit that the change will become.
    let commit: UInt64
    /// The change reclaims pending frees only if the oldest are at least this many commits old, or
    /// if it does not find enough free pages without them.
    let reclaimInterval: UInt64

    /// The pages that the keeper can hand out.
    var space: PageSpace
    /// Pages that older commits made, and to which this change no longer refers.
    private(set) var freed: [FreedPage] = []
    /// How many of `freed` are in the catalog already.
    var freedRecorded = 0
    /// Numbers of the change's own pages that it gave up, but that a savepoint can bring back.
    private var heldBack: [UInt64] = []
    /// How long the file was before this change extended it; `nil` if this change has not extended
    /// it.
    private(set) var grownFrom: UInt64?
    /// Whether this change has already confirmed the newest checkpoint, which makes more pages
    /// reclaimable.
    var hasConfirmedFrees = false

    struct FreedPage {
        var number: UInt64
        var birth: UInt64
    }

    init(
        _ file: any StorageFile, _ format: PageFormat, _ growth: FileGrowth,
        _ board: any ReclaimBoard, base: CommitRecord, commit: UInt64, reclaimInterval: UInt64
    ) {
        self.file = file
        self.format = format
        self.growth = growth
        self.board = board
        self.base = base.commit
        self.commit = commit
        self.reclaimInterval = reclaimInterval
        space = PageSpace(base)
    }

    /// The number after the store's last page.
    var pageCount: UInt64 { space.pageCount }

    /// How many pages this change has taken.
    var takenCount: UInt64 { space.takenCount }

    /// How many pages are reserved.
    var poolCount: UInt64 { space.poolCount }

    /// Whether all freed and returned pages are in the catalog.
    var isRecorded: Bool { freedRecorded == freed.count && space.returned.isEmpty }

    /// Takes a reserved page.
    func takePage() -> UInt64 { space.takePage() }

    /// Takes back a page to which the change no longer refers.
    ///
    /// - Parameter isHeld: whether a savepoint can bring the page back.
    func giveUp(_ number: UInt64, birth: UInt64, isHeld: Bool) {
        if birth != commit {
            freed.append(FreedPage(number: number, birth: birth))
        } else if isHeld {
            heldBack.append(number)
        } else {
            // This change made the page, so nothing else can refer to it.
            space.returned.append(number)
        }
    }

    /// Takes back the pages of a half of the log; older commits refer to that half, but this one
    /// does not.
    ///
    /// No snapshot reads the log's pages. So they get this commit as their birth: then no older
    /// snapshot holds them back, and they are free as soon as this commit is confirmed.
    func giveUpHalf(_ run: PageRun) {
        freed += (run.start..<run.end).map { FreedPage(number: $0, birth: commit) }
    }

    /// Gives back a run that this change got, and to which nothing refers yet.
    func giveBack(_ run: PageRun) { space.returned += run.start..<run.end }

    /// Extends the file by `count` pages, and gives these to this change.
    func makeRun(_ count: UInt64) throws(BullaError) -> PageRun {
        invariant(count > 0, "a run that is made has pages")
        let start = space.pageCount
        let end = start + count
        // Pages beyond these limits could be written, but never read.
        guard end < WordTable.wordCountLimit, format.offset(end) <= MappedWindow.byteLimit else {
            throw BullaError(
                .full,
                "grow \(file.path): it has \(start) pages, and \(count) more are beyond the limit")
        }
        let former = try growth.ensure(
            pageCount: end, runCount: count, since: grownFrom
        ) { () throws(BullaError) in try board.checkPlace() }
        grownFrom = grownFrom ?? former
        invariant(space.pageCount == start, "a change makes one run at a time")
        space.pageCount = end
        return PageRun(start: start, count: count)
    }

    /// Cuts off what this change added to the file; call this after the change is abandoned.
    func giveBackGrowth() {
        if let grownFrom { try? growth.giveBack(downTo: grownFrom) }
    }

    /// Fills in a record's fields about free pages.
    func describe(_ record: inout CommitRecord) {
        invariant(isRecorded, "the catalog knows what a change has freed before it is committed")
        invariant(heldBack.isEmpty, "savepoints have ended when a change is committed")
        record.pageCount = space.pageCount
        record.window = PageWindow(space.pool)
        record.searchPosition = space.searchPosition
        record.freeCount = space.freeCount
        record.pendingCount = space.pendingCount
    }
}

/// Savepoints.
extension SpaceKeeper {
    /// A state that the keeper can return to.
    struct Mark {
        fileprivate let space: PageSpace
        fileprivate let freedCount: Int
        fileprivate let heldBackCount: Int
    }

    var mark: Mark {
        Mark(space: space, freedCount: freed.count, heldBackCount: heldBack.count)
    }

    func rollBack(to mark: Mark) {
        invariant(
            mark.heldBackCount <= heldBack.count && mark.freedCount <= freed.count,
            "a change is put back to what it was before")
        invariant(freedRecorded <= mark.freedCount, "what is recorded as freed stays freed")
        heldBack.removeLast(heldBack.count - mark.heldBackCount)
        freed.removeLast(freed.count - mark.freedCount)
        space = mark.space
        // This change may have confirmed a checkpoint after the mark. If so, more pages are
        // reclaimable now than at the mark, and another pass is worthwhile.
        if hasConfirmedFrees { (space.hasReclaimed, space.reclaimCount) = (false, 0) }
    }

    /// Gives up the pages that were kept for savepoints.
    func endSavepoints() {
        space.returned += heldBack
        heldBack.removeAll(keepingCapacity: true)
    }
}
