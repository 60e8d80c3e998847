internal import BullaMemory
internal import Synchronization

/// A page that is about to be opened, and the frame that it goes into.
struct ClaimedFrame {
    let frame: Int
    let pointer: PagePointer
}

/// Frames for pages that are opened together, ahead of a scan.
extension FrameCache {
    /// Whether a page would have to be opened; a hint, which leaves no mark.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool {
        !region.isAtHome(number: pointer.number, check: pointer.check) && isMissingAway(pointer)
    }

    @inline(never)
    private func isMissingAway(_ pointer: PagePointer) -> Bool {
        region.peek(
            named: table.load(pointer.number), number: pointer.number, check: pointer.check) == nil
    }

    /// Claims a frame for each of some pages that is missing: its home, if that is free.
    ///
    /// Where there are not enough free ones, the cache gives up the scan's former pages first, and
    /// evicts others only for a scan that has none: so a scan of more than the cache holds goes
    /// round in a few frames, and leaves the others to other readers.
    ///
    /// To be called outside any epoch.
    ///
    /// - Parameter former: pages that the scan has opened and visited.
    /// - Returns: fewer where there are no more.
    func claimMissing(
        _ pointers: [PagePointer], after former: [PagePointer]
    ) -> [ClaimedFrame] {
        invariant(!Epoch.isInside, "frames are claimed outside any epoch")
        var (claimed, isShort) = takeFree(for: pointers)
        guard isShort else { return claimed }
        if !former.isEmpty {
            giveUp(former)
            claimed += takeFree(for: pointers.filter { isLeft($0, by: claimed) }).claimed
        } else {
            for pointer in pointers where isMissing(pointer) && isLeft(pointer, by: claimed) {
                guard let frame = claim(for: pointer) else { break }
                claimed.append(ClaimedFrame(frame: frame, pointer: pointer))
            }
        }
        return claimed
    }

    private func isLeft(_ pointer: PagePointer, by claimed: [ClaimedFrame]) -> Bool {
        !claimed.contains { $0.pointer == pointer }
    }

    /// Takes free frames for the pages that are missing, as long as there are some.
    ///
    /// A free home holds no page, so the cache does not touch it to see whether the page is there.
    private func takeFree(
        for pointers: [PagePointer]
    ) -> (claimed: [ClaimedFrame], isShort: Bool) {
        pool.withLock { pool in
            var claimed: [ClaimedFrame] = []
            for pointer in pointers {
                let home = region.home(pointer.number)
                let isMissing =
                    pool.free.contains(home) ? isMissingAway(pointer) : isMissing(pointer)
                guard isMissing else { continue }
                guard let frame = pool.free.take(preferring: home) else { return (claimed, true) }
                claimed.append(ClaimedFrame(frame: frame, pointer: pointer))
            }
            return (claimed, false)
        }
    }

    /// Gives huge pages to the blocks that many frames lie in, and that will be filled.
    func makeReady(_ claimed: ArraySlice<ClaimedFrame>) {
        for claim in claimed {
            if let block = region.block(of: claim.frame) { region.makeReady(block) }
        }
    }

    /// Frees the frames of pages that nobody is expected to look at soon.
    private func giveUp(_ pages: [PagePointer]) {
        var retired: [Int] = []
        for page in pages where !isMissingAway(page) {
            let word = table.load(page.number)
            if word != 0, table.exchange(word, for: 0, at: page.number) {
                retired.append(region.frame(named: word))
            }
        }
        retire(retired)
        release()
    }
}
