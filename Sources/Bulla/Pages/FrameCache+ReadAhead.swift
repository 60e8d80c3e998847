internal import BullaMemory
internal import Synchronization

/// A page that is about to be opened, and the frame that it goes into.
struct ClaimedFrame {
    let frame: Int
    let pointer: PagePointer
}

private enum AheadLimit {
    /// One call claims at most a 32nd of this process's frames, because other threads cannot evict
    /// claimed frames, and fail if all frames are claimed.
    static let divisor = 32
}

/// Claims frames for pages that are opened together, before a scan reaches them.
extension FrameCache {
    /// Whether the cache lacks the page, as a hint; looking for the page does not mark it as read.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool {
        !homes.isAtHome(number: pointer.number, check: pointer.check) && isMissingAway(pointer)
    }

    @inline(never)
    private func isMissingAway(_ pointer: PagePointer) -> Bool {
        peek(table.load(pointer.number), pointer) == nil
    }

    /// Claims a frame for each page that the cache lacks; where possible, the page's home (the
    /// frame that its number determines).
    ///
    /// If too few frames are free, the cache gives up the pages in `former`. A cache whose frames
    /// are not shared gives up other pages only if `former` is empty. So a scan of more pages than
    /// the cache holds reuses a few frames, and leaves the rest to other readers.
    ///
    /// Call this outside any epoch.
    ///
    /// - Parameter former: pages that the scan has opened and passed.
    /// - Returns: the claimed frames, and whether some pages have none, because the cache could
    ///   free no more, or because the call has claimed as many as it may.
    func claimMissing(
        _ pointers: [PagePointer], after former: [PagePointer]
    ) -> (claimed: [ClaimedFrame], isShort: Bool) {
        invariant(!Epoch.isInside, "frames are claimed outside any epoch")
        let limit = max(1, region.frameCount / AheadLimit.divisor)
        var (claimed, isShort) = shared == nil ? takeFree(for: pointers, limit) : ([], true)
        guard isShort else { return (claimed, false) }
        giveUp(former)
        if shared == nil, !former.isEmpty {
            let left = pointers.filter { isLeft($0, by: claimed) }
            let more = takeFree(for: left, limit - claimed.count)
            return (claimed + more.claimed, more.isShort)
        }
        var ownCount = claimed.count
        for pointer in pointers where isMissing(pointer) && isLeft(pointer, by: claimed) {
            guard ownCount < limit, let frame = claim(for: pointer) else { return (claimed, true) }
            if frame < region.frameCount { ownCount += 1 }
            claimed.append(ClaimedFrame(frame: frame, pointer: pointer))
        }
        return (claimed, false)
    }

    private func isLeft(_ pointer: PagePointer, by claimed: [ClaimedFrame]) -> Bool {
        !claimed.contains { $0.pointer == pointer }
    }

    /// Takes free frames for the missing pages, until no frame is free or `limit` are taken.
    ///
    /// A free home frame holds no page, so this does not touch the frame's memory to look for one.
    private func takeFree(
        for pointers: [PagePointer], _ limit: Int
    ) -> (claimed: [ClaimedFrame], isShort: Bool) {
        pool.withLock { pool in
            var claimed: [ClaimedFrame] = []
            for pointer in pointers {
                let home = homes.home(pointer.number)
                let isMissing =
                    pool.free.contains(home) ? isMissingAway(pointer) : isMissing(pointer)
                guard isMissing else { continue }
                guard claimed.count < limit, let frame = pool.free.take(preferring: home) else {
                    return (claimed, true)
                }
                claimed.append(ClaimedFrame(frame: frame, pointer: pointer))
            }
            return (claimed, false)
        }
    }

    /// Gives huge pages to the blocks of memory that contain many of the claimed frames.
    func makeReady(_ claimed: [ClaimedFrame]) {
        region.makeReady(claimed.map(\.frame).filter { $0 < region.frameCount })
    }

    /// Frees the frames of pages that are unlikely to be read soon; if a frame is shared, only
    /// marks its page to be evicted first.
    private func giveUp(_ pages: [PagePointer]) {
        guard !pages.isEmpty else { return }
        for page in pages { shared?.pass(page) }
        var retired: [Int] = []
        for page in pages where !isMissingAway(page) {
            let word = table.load(page.number)
            guard let frame = region.frame(ifNamed: word) else { continue }
            if table.exchange(word, for: 0, at: page.number) { retired.append(frame) }
        }
        retire(retired)
        release()
    }
}
