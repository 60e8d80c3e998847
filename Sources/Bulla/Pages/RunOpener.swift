internal import BullaCipher
internal import BullaMemory
internal import Dispatch
internal import Synchronization

/// Opens many pages of one kind into memory that the caller provides, without looking in the cache.
struct RunOpener {
    let pager: Pager
    let kind: PageKind

    /// How many pages are copied from the mapping before they are opened; few enough to stay in the
    /// processor's cache.
    static let stagedPageCount = 16
    /// How many pages a thread opens at a time; with fewer, the first thread would be done before
    /// another could start.
    private static let piecePageCount = 64

    private var format: PageFormat { pager.format }

    /// Opens pages, on several threads if there are many, and puts their contents one after
    /// another.
    ///
    /// - Parameters:
    ///   - target: room for the contents of all pages.
    /// - Throws: `corrupted` when a page is not what its pointer names.
    func open(_ pointers: [PagePointer], into target: MutableByteView) throws(BullaError) {
        let size = Self.piecePageCount
        guard pointers.count >= 2 * size else {
            return try openHere(pointers[...]) { contents(of: target, $0) }
        }
        let target = SentBytes(target)
        let failures = Mutex<[Int: BullaError]>([:])
        DispatchQueue.concurrentPerform(iterations: (pointers.count + size - 1) / size) { number in
            let piece = pointers[number * size..<min((number + 1) * size, pointers.count)]
            do throws(BullaError) {
                try openHere(piece) { contents(of: target.bytes, $0) }
            } catch {
                failures.withLock { $0[number] = error }
            }
        }
        if let failure = failures.withLock({ $0.min { $0.key < $1.key } }) { throw failure.value }
    }

    private func contents(of target: MutableByteView, _ index: Int) -> MutableByteView {
        target.slice(index * format.contentByteCount, format.contentByteCount)
    }

    /// Opens pages on this thread.
    ///
    /// - Parameter content: returns the memory for the content of a page, by the page's index among
    ///   the pointers.
    func openHere(
        _ pointers: ArraySlice<PagePointer>, into content: (Int) -> MutableByteView
    ) throws(BullaError) {
        try pager.runScratch.lend { staging throws(BullaError) in
            var batch = OpenBatch()
            var first = pointers.startIndex
            while first < pointers.endIndex {
                let run = pointers[first..<min(first + Self.stagedPageCount, pointers.endIndex)]
                for (index, pointer) in run.enumerated() {
                    staging.copy(
                        try pager.mapping.page(pointer), to: index * format.pageByteCount)
                }
                try pager.mapping.checkFaults()
                try openStaged(run, staging.view, &batch, into: content)
                first = run.endIndex
            }
        }
    }

    /// Opens copied pages, with one call for each stretch of pages that are sealed under the same
    /// data key.
    private func openStaged(
        _ run: ArraySlice<PagePointer>, _ staging: ByteView, _ batch: inout OpenBatch,
        into content: (Int) -> MutableByteView
    ) throws(BullaError) {
        let opener = pager.opener
        var first = 0
        var epoch: UInt32 = 0
        for (index, pointer) in run.enumerated() {
            let page = staging.slice(index * format.pageByteCount, format.pageByteCount)
            let claimed = opener.claimedEpoch(of: page)
            if claimed != epoch {
                try opener.open(&batch, epoch, run.dropFirst(first))
                (first, epoch) = (index, claimed)
            }
            batch.append(
                page: page, content: content(run.startIndex + index),
                context: opener.context(pointer, kind, claimed),
                check: opener.check(of: pointer, in: page))
        }
        try opener.open(&batch, epoch, run.dropFirst(first))
    }
}
