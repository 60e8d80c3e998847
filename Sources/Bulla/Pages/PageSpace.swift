internal import BullaMemory

/// Where a transaction takes its pages from.
struct PageSpace {
    /// Runs taken and not used yet; used in their order.
    var pool: [PageRun]
    /// Pages that this transaction took, sealed, and gave up again.
    var returned: [UInt64] = []
    /// The number after the last page ever used.
    var pageCount: UInt64
    /// Where the search in the free map goes on.
    var searchPosition: UInt64
    var freeCount: UInt64
    var pendingCount: UInt64
    /// Whether frees of older commits were looked through already.
    var hasReclaimed = false

    init(_ base: CommitRecord) {
        pool = base.run.count > 0 ? [base.run] : []
        pageCount = base.pageCount
        searchPosition = base.searchPosition
        freeCount = base.freeCount
        pendingCount = base.pendingCount
    }

    var poolCount: UInt64 { pool.reduce(0) { $0 + $1.count } }

    /// Takes one page of the pool, which must have one.
    mutating func takePage() -> UInt64 {
        precondition(!pool.isEmpty, "pages were reserved before they are taken")
        let number = pool[0].start
        pool[0].start += 1
        pool[0].count -= 1
        if pool[0].count == 0 { pool.removeFirst() }
        return number
    }
}

/// Which snapshots may still need a freed page, and what is durable.
protocol ReclaimBoard: AnyObject, Sendable {
    /// The newest commit that no recovery can fall back from: one before the newest flushed, as a
    /// rule.
    func confirmedCommit() throws(BullaError) -> UInt64
    /// Makes every published commit one that no recovery falls back from.
    func confirmPublished() throws(BullaError)
    /// The commits that living snapshots see, of all processes, ascending.
    func snapshotCommits() throws(BullaError) -> [UInt64]
    /// Counts pages about to be sealed against what the last flushed meta page allows.
    func reserveSeals(_ count: UInt64) throws(BullaError)
}

/// The free map: one bit for each page that may be taken, in records of the catalog.
///
///     key    mark 3, number of the chunk (8 bytes, big-endian)
///     value  512 bytes: 4096 pages from chunk * 4096 on, the lowest bit of the first byte first
///
/// A chunk in which no page was ever freed has no record.
enum FreeMap {
    static let pagesPerChunk: UInt64 = 4096
    static let byteCount = 512

    /// The runs of set bits in a chunk's words, from the lowest.
    static func runs(_ words: [UInt64], chunk: UInt64) -> [PageRun] {
        var runs: [PageRun] = []
        for (index, word) in words.enumerated() where word != 0 {
            append(word, start: chunk * pagesPerChunk + UInt64(index) * 64, to: &runs)
        }
        return runs
    }

    private static func append(_ word: UInt64, start: UInt64, to runs: inout [PageRun]) {
        var rest = word
        var position = start
        while rest != 0 {
            let gap = UInt64(rest.trailingZeroBitCount)
            rest >>= gap
            position += gap
            let count = UInt64((~rest).trailingZeroBitCount)
            if let last = runs.last, last.end == position {
                runs[runs.count - 1].count += count
            } else {
                runs.append(PageRun(start: position, count: count))
            }
            position += count
            rest = count == 64 ? 0 : rest >> count
        }
    }

    /// The runs of set bits in a chunk's record, as the catalog has it.
    static func runs(_ value: ByteView, chunk: UInt64) -> [PageRun] {
        guard chunk < WordTable.wordCountLimit else { return [] }
        return runs(words(value), chunk: chunk)
    }

    static func words(_ value: ByteView) -> [UInt64] {
        (0..<byteCount / 8).map { value.load(UInt64.self, at: $0 * 8) }
    }

    /// Sets or clears the bits of a run, all of which lie in the words' chunk.
    static func mark(_ words: inout [UInt64], _ run: PageRun, isFree: Bool) {
        for number in run.start..<run.end {
            let bit = number % pagesPerChunk
            let mask: UInt64 = 1 << (bit % 64)
            if isFree { words[Int(bit / 64)] |= mask } else { words[Int(bit / 64)] &= ~mask }
        }
    }
}
