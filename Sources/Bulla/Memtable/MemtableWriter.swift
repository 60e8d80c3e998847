internal import BullaMemory

/// The state of a memtable's writer: its pages, how far its operations reach, and how much more
/// memory it can use.
struct MemtableWriter {
    var pages = IndexPages()
    /// Where the next operation goes; offset 0 is never used.
    var operationEnd = 8
    /// The limit for the index; the operations have a limit of the same size.
    let byteLimit: Int
    /// The limit for the index in the current edit.
    private var pageByteLimit: Int
    /// The greatest ``operationEnd`` so far; when an edit is dropped, ``operationEnd`` goes back,
    /// but this number does not.
    private var operationReach = 0
    private var nextPageBlock = 0
    private var nextOperationBlock = 0

    init(byteLimit: Int) { (self.byteLimit, pageByteLimit) = (byteLimit, byteLimit) }

    /// Limits how many bytes of never-used index pages the next edit can take.
    mutating func limitEdit(toPageBytes byteCount: Int) {
        let used = Int(pages.end) * IndexPageLayout.byteCount
        pageByteLimit = min(used + min(byteCount, byteLimit), byteLimit)
    }

    /// How many bytes have ever been used, including those that are free now.
    var byteCount: Int { Int(pages.end) * IndexPageLayout.byteCount + operationReach }

    /// Takes a page, whose content is undefined.
    @inline(__always)
    mutating func takePage(_ memtable: Memtable) throws(MemtableError) -> UInt32 {
        if let page = pages.popFree(memtable.space) { return page }
        return try takeOtherPage(memtable)
    }

    @inline(never)
    private mutating func takeOtherPage(_ memtable: Memtable) throws(MemtableError) -> UInt32 {
        if pages.isLookDue {
            pages.look(memtable.space, memtable.versions)
            if let page = pages.popFree(memtable.space) { return page }
        }
        let end = (Int(pages.end) + 1) * IndexPageLayout.byteCount
        guard end <= pageByteLimit else {
            pages.look(memtable.space, memtable.versions, atAll: true)
            if let page = pages.popFree(memtable.space) { return page }
            throw pageByteLimit < byteLimit
                ? .editFull(byteLimit: pageByteLimit) : .full(byteLimit: memtable.byteLimit)
        }
        try Self.prepare(memtable.memory.pages, upTo: end, &nextPageBlock)
        return pages.extend()
    }

    /// Takes room for operations, and returns its offset.
    @inline(__always)
    mutating func takeBytes(
        _ byteCount: Int, _ memtable: Memtable
    ) throws(MemtableError) -> Int {
        let start = operationEnd
        let (end, isOver) = start.addingReportingOverflow(byteCount)
        guard byteCount >= 0, !isOver else { throw .full(byteLimit: memtable.byteLimit) }
        if end > operationReach { try reach(end, memtable) }
        operationEnd = end
        return start
    }

    @inline(never)
    private mutating func reach(_ end: Int, _ memtable: Memtable) throws(MemtableError) {
        guard end <= byteLimit else { throw .full(byteLimit: memtable.byteLimit) }
        try Self.prepare(memtable.memory.operations, upTo: end, &nextOperationBlock)
        operationReach = end
    }

    private static func prepare(
        _ region: borrowing ReservedRegion, upTo end: Int, _ next: inout Int
    ) throws(MemtableError) {
        do throws(MemoryError) {
            while end > next { next = try region.prepare(next) }
        } catch { throw .memory(error) }
    }
}
