internal import BullaMemory

/// A list of index pages, linked through a field that only the writer looks at.
struct IndexPageList {
    private(set) var first: UInt32 = 0
    private(set) var last: UInt32 = 0
    private(set) var count = 0

    @inline(__always)
    mutating func push(_ page: IndexPage) {
        page.setNext(first)
        if count == 0 { last = page.number }
        first = page.number
        count &+= 1
    }

    @inline(__always)
    mutating func pop(_ space: MemtableSpace) -> UInt32? {
        guard count > 0 else { return nil }
        let page = first
        first = space.page(page).next
        count &-= 1
        return page
    }

    /// Puts another list in front, which is none any more.
    mutating func take(_ other: IndexPageList, _ space: MemtableSpace) {
        guard other.count > 0 else { return }
        space.page(other.last).setNext(first)
        if count == 0 { last = other.last }
        first = other.first
        count += other.count
    }
}

/// The index pages of a memtable as its writer has them: which are free, which were superseded.
///
/// A superseded page is seen by the versions from its birth on, up to the one that superseded it.
/// It is free when none of them may be held any more. To find that out for each page at each
/// version would take longer than to make the version, so the writer looks at many at once:
///
/// - *fresh* pages were superseded since the last look, which comes when no page is free.
/// - *kept* pages were seen by some version at the last look at them. The writer looks at them
///   again once it has looked at as many others; so pages that are held for long add little to the
///   cost of a page, and no more pages wait needlessly than were made meanwhile.
struct IndexPages {
    private var free = IndexPageList()
    private var fresh = IndexPageList()
    private var kept = IndexPageList()
    /// The version that superseded the last of the fresh pages.
    private var freshStamp: UInt32 = 0
    private var lookedAtCount = 0
    /// How many of the kept pages were superseded by a version that was not settled.
    private var unsettledCount = 0
    private var held: [UInt32] = []
    /// Pages below it have been used; number 0 stands for none.
    private(set) var end: UInt32 = 1

    /// So many superseded pages are worth a look.
    private static let lookCount = 64

    /// Pages that some version sees, or that wait for a look.
    var usedCount: Int { Int(end) - 1 - free.count }

    /// Whether more than so many bytes of pages may wait for a version to be settled that
    /// superseded them.
    func isWaiting(above byteCount: Int) -> Bool {
        fresh.count + unsettledCount > byteCount / IndexPageLayout.byteCount
    }

    /// A page that was used before, and is free.
    @inline(__always)
    mutating func popFree(_ space: MemtableSpace) -> UInt32? { free.pop(space) }

    mutating func giveBack(_ page: IndexPage) { free.push(page) }

    /// A page that was never used.
    mutating func extend() -> UInt32 {
        defer { end += 1 }
        return end
    }

    /// Whether a look may well free pages.
    var isLookDue: Bool { fresh.count >= Self.lookCount }

    /// Takes over what a version that is published now has superseded.
    mutating func supersede(_ pages: IndexPageList, by stamp: UInt32, _ space: MemtableSpace) {
        fresh.take(pages, space)
        freshStamp = stamp
    }

    /// Frees what no version that is held, or may be, sees.
    mutating func look(
        _ space: MemtableSpace, _ versions: borrowing HeldVersions, atAll: Bool = false
    ) {
        let settled = versions.look(&held)
        if freshStamp <= settled, freshStamp <= held.first ?? .max {
            lookedAtCount += fresh.count
            free.take(fresh, space)
            fresh = IndexPageList()
        }
        lookedAtCount += fresh.count
        var list = fresh
        fresh = IndexPageList()
        if atAll || lookedAtCount >= kept.count {
            (lookedAtCount, unsettledCount) = (0, 0)
            list.take(kept, space)
            kept = IndexPageList()
        }
        while let number = list.pop(space) {
            let page = space.page(number)
            if page.superseded <= settled, !isHeld(from: page.birth, to: page.superseded) {
                free.push(page)
            } else {
                if page.superseded > settled { unsettledCount += 1 }
                kept.push(page)
            }
        }
    }

    /// Whether a version is held that is at least the first, and less than the last.
    private func isHeld(from first: UInt32, to last: UInt32) -> Bool {
        var low = 0
        var high = held.count
        while low < high {
            let middle = (low + high) / 2
            if held[middle] < first { low = middle + 1 } else { high = middle }
        }
        return low < held.count && held[low] < last
    }
}
