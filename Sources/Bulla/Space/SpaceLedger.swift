internal import BullaMemory

/// Edits the catalog's records of free pages and pending frees, for one change.
///
/// Each edit can change catalog pages, and so can itself take and free pages.
struct SpaceLedger {
    let keeper: SpaceKeeper
    let catalog: any CatalogEditing

    var space: PageSpace {
        get { keeper.space }
        nonmutating _modify { yield &keeper.space }
    }

    /// Visits the free map's chunks, while `body` returns `true`.
    ///
    /// - Returns: whether `body` stopped the visit.
    func forEachChunk(
        _ range: Range<UInt64>, _ body: (UInt64, ByteView) -> Bool
    ) throws(BullaError) -> Bool {
        let keys = KeyRange.from(
            CatalogKey.chunk(range.lowerBound), upTo: CatalogKey.chunk(range.upperBound))
        // Whatever the catalog says, never hand out the preamble, or pages that the file does not
        // have.
        let first = keeper.format.firstPage
        let pages = first..<max(space.pageCount, first)
        var isDone = false
        try catalog.scanCatalog(keys) { key, record throws(BullaError) in
            let chunk = CatalogKey.number(key)
            guard FreeMap.isSound(record, chunk: chunk, pages: pages) else {
                throw catalog.catalogDefect("its free map names pages that do not exist")
            }
            isDone = !body(chunk, record)
            return isDone ? .stop : .next
        }
        return isDone
    }

    /// Marks taken runs as free, or free runs as taken.
    ///
    /// Throws if a page has that mark already: the runs come from the file, and a damaged or forged
    /// file can name a page twice.
    func mark(_ runs: [PageRun], isFree: Bool) throws(BullaError) {
        let pieces = runs.flatMap { $0.pieces(of: FreeMap.pagesPerChunk) }
            .sorted { $0.start < $1.start }
        invariant(runs.allSatisfy { $0.count > 0 }, "a run that is marked has pages")
        var rest = pieces[...]
        while let first = rest.first {
            let chunk = first.start / FreeMap.pagesPerChunk
            let key = CatalogKey.chunk(chunk)
            var record =
                try catalog.catalogValue(key) ?? [UInt8](repeating: 0, count: FreeMap.byteCount)
            guard record.count == FreeMap.byteCount else {
                throw catalog.catalogDefect("a record of its free map has the wrong length")
            }
            while let piece = rest.first, piece.start / FreeMap.pagesPerChunk == chunk {
                guard FreeMap.mark(&record, piece, isFree: isFree) else {
                    throw catalog.catalogDefect(
                        isFree
                            ? "its free map already has a freed page"
                            : "its free map lacks a page that was free")
                }
                rest = rest.dropFirst()
            }
            try catalog.putCatalog(key, record)
        }
    }

    /// Lowers the count of free pages by the number of pages that were taken out of the free map.
    func countTaken(_ count: UInt64) throws(BullaError) {
        guard count <= space.freeCount else {
            throw catalog.catalogDefect("its free map has more pages than are counted")
        }
        space.freeCount -= count
    }
}
