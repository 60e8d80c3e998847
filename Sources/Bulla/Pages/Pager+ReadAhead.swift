internal import BullaMemory
internal import Dispatch

/// Opens many pages together for a scan, before the scan reaches them.
extension Pager {
    /// How many pages a thread opens at a time; with fewer, the first thread would be done before
    /// another could start.
    private static let pieceCount = 32

    /// Whether a page is not in the cache; always `true` in a plain store.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool { cache.isMissing(pointer) }

    /// Opens the pages that the cache lacks, on several threads if there are many.
    ///
    /// Reports no error: if the scan reaches a page that did not open, it gets the error itself.
    ///
    /// Call this outside any operation.
    ///
    /// - Parameter former: pages that the scan has opened and passed.
    /// - Returns: the pages that this call tried to open.
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
