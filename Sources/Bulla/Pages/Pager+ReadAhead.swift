internal import BullaMemory

/// Opens many pages together, before they are read.
extension Pager {
    /// Whether a page is not in the cache; always `true` in a plain store.
    @inline(__always)
    func isMissing(_ pointer: PagePointer) -> Bool { cache.isMissing(pointer) }

    /// Gives a huge page to the block of memory where a page will lie, if `neighbor` will lie in
    /// the same block or an adjoining one.
    ///
    /// Call this before looking for the page, because a look at memory that was never touched
    /// brings in a small page.
    ///
    /// - Parameter neighbor: one of many pages that are opened together.
    func makeReady(_ pointer: PagePointer, near neighbor: PagePointer) {
        guard cache.shared == nil else { return }
        let homes = (cache.homes.home(pointer.number), cache.homes.home(neighbor.number))
        guard let block = cache.region.block(of: homes.0),
            let other = cache.region.block(of: homes.1), abs(block - other) <= 1
        else { return }
        // Suspend the operation, because writers wait for operations to end, and the kernel takes a
        // long time to zero a huge page.
        Epoch.suspended { cache.region.makeReady(block) }
    }

    /// Opens the pages that the cache lacks.
    ///
    /// This reports no error; a later read of a page that did not open gets the error.
    ///
    /// Call this outside any operation.
    func openTogether(_ pointers: [PagePointer], _ kind: PageKind) {
        open(cache.claimMissing(pointers, after: []).claimed[...], kind)
    }

    /// Opens pages into frames that were claimed for them, and publishes the frames; gives back all
    /// of the frames if any page does not open.
    func open(_ claimed: ArraySlice<ClaimedFrame>, _ kind: PageKind) {
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
