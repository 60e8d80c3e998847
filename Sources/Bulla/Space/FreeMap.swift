package import BullaMemory

/// The free map, in records of the catalog: one for each chunk of 4096 pages.
///
/// A record has one bit for each page of its chunk, set if the page may be taken:
///
///     key    mark 3, number of the chunk (8 bytes, big-endian)
///     value  512 bytes for pages from chunk * 4096 on; in each byte, the lowest bit comes first
///
/// A chunk in which no page was ever freed has no record.
package enum FreeMap {
    package static let pagesPerChunk: UInt64 = 4096
    package static let byteCount = 512

    /// Visits the runs of free pages in a chunk's record in ascending order, while `body` returns
    /// `true`.
    ///
    /// - Returns: `false` if `body` stopped the visit.
    static func forEachRun(
        _ value: ByteView, chunk: UInt64, _ body: (PageRun) -> Bool
    ) -> Bool {
        var run = PageRun.empty
        for index in 0..<byteCount / 8 {
            var rest = value.load(UInt64.self, at: index * 8)
            var position = chunk &* pagesPerChunk &+ UInt64(index) * 64
            while rest != 0 {
                let gap = UInt64(rest.trailingZeroBitCount)
                rest >>= gap
                position &+= gap
                let count = UInt64((~rest).trailingZeroBitCount)
                // A run that reached the end of the previous word may continue here.
                if run.count > 0, run.end != position {
                    guard body(run) else { return false }
                    run = .empty
                }
                if run.count == 0 { run.start = position }
                run.count += count
                position &+= count
                rest = count == 64 ? 0 : rest >> count
            }
        }
        return run.count == 0 || body(run)
    }

    /// The first run of at least `count` free pages in a chunk's record, in its full length.
    ///
    /// - Complexity: a few steps for each 64 pages, however many short runs they contain.
    package static func firstRun(_ value: ByteView, chunk: UInt64, atLeast count: UInt64)
        -> PageRun?
    {
        /// How many pages directly before the word are free.
        var free: UInt64 = 0
        for index in 0..<byteCount / 8 {
            let word = value.load(UInt64.self, at: index * 8)
            let position = chunk &* pagesPerChunk &+ UInt64(index) * 64
            let first = UInt64((~word).trailingZeroBitCount)
            if first == 64 {
                free += 64
                continue
            }
            if free + first >= count {
                return PageRun(start: position &- free, count: free + first)
            }
            let start = UInt64(starts(ofRuns: count, in: word).trailingZeroBitCount)
            let end = start + UInt64((~(word >> start)).trailingZeroBitCount)
            // A run that reaches the word's end can continue in the next word.
            if end < 64 { return PageRun(start: position &+ start, count: end - start) }
            free = UInt64((~word).leadingZeroBitCount)
        }
        guard free >= count else { return nil }
        return PageRun(start: (chunk &+ 1) &* pagesPerChunk &- free, count: free)
    }

    /// The bits of a word at which `count` consecutive set bits start.
    private static func starts(ofRuns count: UInt64, in word: UInt64) -> UInt64 {
        var starts = word
        var length: UInt64 = 1
        while length < count, starts != 0 {
            let step = min(length, count - length)
            starts &= starts >> step
            length += step
        }
        return starts
    }

    /// The runs of free pages in a chunk's record.
    package static func runs(_ value: ByteView, chunk: UInt64) -> [PageRun] {
        guard chunk < WordTable.wordCountLimit else { return [] }
        var runs: [PageRun] = []
        _ = forEachRun(value, chunk: chunk) { run in
            runs.append(run)
            return true
        }
        return runs
    }

    /// Whether a chunk's record has the right length, and names only pages in `pages`.
    static func isSound(_ value: ByteView, chunk: UInt64, pages: Range<UInt64>) -> Bool {
        guard value.byteCount == byteCount, chunk < WordTable.wordCountLimit else { return false }
        let chunkStart = chunk * pagesPerChunk
        for index in 0..<byteCount / 8 {
            let start = chunkStart + UInt64(index) * 64
            // Shifts by 64 or more give 0.
            let known =
                (UInt64.max << pages.lowerBound.subtractingOrZero(start))
                & ~(UInt64.max << pages.upperBound.subtractingOrZero(start))
            if value.load(UInt64.self, at: index * 8) & ~known != 0 { return false }
        }
        return true
    }

    /// Sets or clears the bits of a run of pages, which must lie in the record's chunk.
    ///
    /// - Returns: whether all of the bits had the opposite value before.
    package static func mark(_ record: inout [UInt8], _ run: PageRun, isFree: Bool) -> Bool {
        invariant(record.count == byteCount, "a record of the free map has a bit for each page")
        invariant(
            run.count > 0 && run.count <= pagesPerChunk - run.start % pagesPerChunk,
            "a run that is marked lies in one chunk")
        var bit = Int(run.start % pagesPerChunk)
        let end = bit + Int(run.count)
        var isNew = true
        while bit < end {
            let count = min(8 - bit % 8, end - bit)
            let mask = UInt8(truncatingIfNeeded: ((1 << count) - 1) << (bit % 8))
            let former = record[bit / 8]
            isNew = isNew && former & mask == (isFree ? 0 : mask)
            record[bit / 8] = isFree ? former | mask : former & ~mask
            bit += count
        }
        return isNew
    }
}
