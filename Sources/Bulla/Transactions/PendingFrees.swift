internal import BullaMemory

/// What a commit freed, in records of the catalog, until nobody can need it.
///
///     key    mark 2, freeing commit (8 bytes, big-endian), sequence (4 bytes, big-endian)
///     value  items of 24 bytes: first page 8, page count 8, birth of those pages 8
enum PendingFrees {
    static let itemByteCount = 24
    /// So many that a record always fits a leaf's cell: 768 bytes.
    static let itemLimit = 32

    struct Item: Hashable {
        var run: PageRun
        var birth: UInt64
    }

    /// Neighbours of one birth as one item each; `pages` ascend.
    static func coalesced(_ pages: [WriteState.FreedPage]) -> [Item] {
        var items: [Item] = []
        for page in pages {
            if let last = items.last, last.run.end == page.number, last.birth == page.birth {
                items[items.count - 1].run.count += 1
            } else {
                items.append(
                    Item(run: PageRun(start: page.number, count: 1), birth: page.birth))
            }
        }
        return items
    }

    static func bytes(_ items: ArraySlice<Item>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(items.count * itemByteCount)
        for item in items {
            bytes.append(littleEndian: item.run.start)
            bytes.append(littleEndian: item.run.count)
            bytes.append(littleEndian: item.birth)
        }
        return bytes
    }

    static func items(_ value: ByteView) -> [Item] {
        (0..<value.byteCount / itemByteCount).map { index in
            let offset = index * itemByteCount
            return Item(
                run: PageRun(
                    start: value.load(UInt64.self, at: offset),
                    count: value.load(UInt64.self, at: offset + 8)),
                birth: value.load(UInt64.self, at: offset + 16))
        }
    }
}

/// One look through pending frees: what may be reused, and what of each record stays.
struct ReclaimPass {
    /// How many pages one pass frees: bounded, and more than a commit of usual size takes.
    private static let pageLimit: UInt64 = 1 << 16
    private static let recordLimit = 1 << 12

    let snapshots: [UInt64]
    var reusable: [PageRun] = []
    var changed: [(key: [UInt8], rest: [PendingFrees.Item])] = []
    private var pageCount: UInt64 = 0
    private var recordCount = 0

    init(snapshots: [UInt64]) { self.snapshots = snapshots }

    var isFull: Bool { pageCount >= Self.pageLimit || recordCount >= Self.recordLimit }

    mutating func visit(
        _ key: ByteView, _ value: ByteView, _ state: WriteState
    ) throws(BullaError) {
        recordCount += 1
        let commit = CatalogKey.number(key)
        let items = PendingFrees.items(value)
        let blocked = items.filter { isNeeded($0, freedBy: commit) }
        guard blocked.count < items.count else { return }
        for item in items where !isNeeded(item, freedBy: commit) {
            guard item.run.start >= state.format.firstPage, item.run.count <= state.space.pageCount,
                item.run.start <= state.space.pageCount - item.run.count
            else {
                throw state.damage(
                    state.base.catalog.pointer, "its pending frees name pages that do not exist")
            }
            reusable.append(item.run)
            pageCount += item.run.count
            guard pageCount <= state.space.pageCount else {
                throw state.damage(
                    state.base.catalog.pointer, "its pending frees name pages more than once")
            }
        }
        changed.append((key.copied(), blocked))
    }

    /// A snapshot between the pages' birth and their end can still read them.
    private func isNeeded(_ item: PendingFrees.Item, freedBy commit: UInt64) -> Bool {
        guard let first = snapshots.first(where: { $0 >= item.birth }) else { return false }
        return first < commit
    }
}
