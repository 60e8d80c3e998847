internal import BullaMemory
internal import Dispatch

/// Opening many pages together for a scan, before it comes to them.
extension Pager {
    /// What a thread opens at a time: less is done before another one would begin.
    private static let pieceCount = 32

    /// Whether a page would have to be opened; of a plain store, always.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool { cache.isMissing(pointer) }

    /// Opens those of some pages that the cache lacks, on several threads where there are many.
    ///
    /// An error is not told: the scan finds it when it comes to the page, and may end before.
    ///
    /// To be called outside any operation.
    ///
    /// - Parameter former: pages that the scan has opened and visited.
    /// - Returns: the pages that were to be opened.
    func readAhead(
        _ pointers: [PagePointer], _ kind: PageKind, after former: [PagePointer]
    ) -> [PagePointer] {
        let claimed = cache.claimMissing(pointers, after: former)
        let size = Self.pieceCount
        guard claimed.count >= 2 * size else {
            open(claimed[...], kind)
            return claimed.map(\.pointer)
        }
        let count = (claimed.count + size - 1) / size
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let piece = claimed[number * size..<min((number + 1) * size, claimed.count)]
            cache.makeReady(piece)
            open(piece, kind)
        }
        return claimed.map(\.pointer)
    }

    private func open(_ claimed: ArraySlice<ClaimedFrame>, _ kind: PageKind) {
        let pointers = claimed.map(\.pointer)
        do throws(BullaError) {
            try RunOpener(pager: self, kind: kind).openHere(pointers[...]) {
                cache.writableContent(claimed[claimed.startIndex + $0].frame)
            }
        } catch { return claimed.forEach { cache.giveBack($0.frame) } }
        for claim in claimed {
            Epoch.enter()
            _ = cache.publish(claim.frame, claim.pointer)
            Epoch.leave()
        }
    }
}
