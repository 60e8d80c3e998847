internal import BullaMemory

/// A list of index pages, linked through a field that only the writer reads.
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

    /// Puts another list in front of this one; the other must not be used afterwards.
    mutating func take(_ other: IndexPageList, _ space: MemtableSpace) {
        guard other.count > 0 else { return }
        space.page(other.last).setNext(first)
        if count == 0 { last = other.last }
        first = other.first
        count += other.count
    }
}

/// A memtable's index pages as its writer sees them: which are free, and which were superseded.
///
/// A superseded page is visible to the versions from its birth to the last one before the version
/// that superseded it. It is free once none of these versions is held or can still be held. Finding
/// that out for each page at each version would take longer than making the version, so the writer
/// looks at many pages at once:
///
/// - *fresh* pages were superseded since the last look. The writer looks when it needs a page, none
///   is free, and either many are fresh or no more memory may be used.
/// - *kept* pages were seen by some version when the writer last looked at them. The writer looks
///   at them again once it has looked at as many fresh pages as there are kept ones. So pages that
///   are held for a long time add little to the average cost of a page. In return, a kept page that
///   no version sees any more waits until the writer looks at it again.
struct IndexPages {
    private var free = IndexPageList()
    private var fresh = IndexPageList()
    private var kept = IndexPageList()
    /// The version that superseded the last of the fresh pages.
    private var freshStamp: UInt32 = 0
    private var lookedAtCount = 0
    /// How many of the kept pages were superseded by a version that was not settled when the writer
    /// last looked at them.
    private var unsettledCount = 0
    private var held: [UInt32] = []
    /// All pages with lower numbers than this have been used; 0 is not the number of a page.
    private(set) var end: UInt32 = 1

    /// How many superseded pages are worth a look.
    private static let lookCount = 64

    /// How many pages are seen by some version, or wait for a look.
    var usedCount: Int { Int(end) - 1 - free.count }

    /// Whether more than `byteCount` bytes of pages may be waiting until the version that
    /// superseded them is settled.
    func isWaiting(above byteCount: Int) -> Bool {
        fresh.count + unsettledCount > byteCount / IndexPageLayout.byteCount
    }

    /// Takes a page that was used before, and is free.
    @inline(__always)
    mutating func popFree(_ space: MemtableSpace) -> UInt32? { free.pop(space) }

    mutating func giveBack(_ page: IndexPage) { free.push(page) }

    /// Takes a page that was never used.
    mutating func extend() -> UInt32 {
        defer { end += 1 }
        return end
    }

    /// Whether a look is likely to free pages.
    var isLookDue: Bool { fresh.count >= Self.lookCount }

    /// Takes over the pages superseded by a version that is just being published.
    mutating func supersede(_ pages: IndexPageList, by stamp: UInt32, _ space: MemtableSpace) {
        fresh.take(pages, space)
        freshStamp = stamp
    }

    /// Looks at the fresh pages, and also at the kept ones if their turn has come or `atAll` is
    /// set.
    ///
    /// This frees those pages that are seen by no version that is held or can still be held.
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

    /// Whether any version from `first` up to, and not including, `last` is held.
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
