internal import BullaMemory

/// The pages that commits freed, kept in records of the catalog until nothing can need the pages
/// any more.
///
///     key    mark 2, freeing commit (8 bytes, big-endian), sequence (4 bytes, big-endian);
///            or, for pages that a snapshot needs: mark 4, the snapshot's commit (8 bytes,
///            big-endian), then freeing commit and sequence as above
///     value  items of 24 bytes: first page 8, page count 8, birth of those pages 8
///
/// The sequence tells a commit's records apart: it is how many freed pages the commit's earlier
/// records name.
///
/// While a snapshot lives, no change reads more than the first key of the snapshot's records (mark
/// 4). So a snapshot that holds back many pages costs a commit hardly more than a snapshot that
/// holds back none.
enum PendingFrees {
    static let itemByteCount = 24
    /// The maximum number of items in a record: that many take 768 bytes, which always fit in a
    /// leaf's cell.
    static let itemLimit = 32

    struct Item: Hashable {
        var run: PageRun
        var birth: UInt64
    }

    /// The fields of a record's key.
    struct Name {
        let commit: UInt64
        let sequence: UInt32

        /// - Returns: `nil` if the key does not belong to a record of pending frees.
        init?(_ key: ByteView) {
            let offset: Int
            switch (key.load(UInt8.self, at: 0), key.byteCount) {
            case (CatalogKey.pendingMark, 13): offset = 1
            case (CatalogKey.heldMark, 21): offset = 9
            default: return nil
            }
            commit = key.load(UInt64.self, at: offset).byteSwapped
            sequence = key.load(UInt32.self, at: offset + 8).byteSwapped
        }
    }

    /// The pages as items, with neighbours of the same birth joined.
    ///
    /// - Parameter pages: in ascending order.
    static func coalesced(_ pages: [SpaceKeeper.FreedPage]) -> [Item] {
        invariant(
            zip(pages, pages.dropFirst()).allSatisfy { $0.number < $1.number },
            "pages are coalesced in their order")
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
        invariant(1...itemLimit ~= items.count, "a record of pending frees has room for its items")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(items.count * itemByteCount)
        for item in items {
            bytes.append(littleEndian: item.run.start)
            bytes.append(littleEndian: item.run.count)
            bytes.append(littleEndian: item.birth)
        }
        return bytes
    }

    /// Whether a record's value has the length of one to ``itemLimit`` items.
    static func isSound(_ value: ByteView) -> Bool {
        value.byteCount > 0 && value.byteCount <= itemLimit * itemByteCount
            && value.byteCount.isMultiple(of: itemByteCount)
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
