import Bulla
import BullaTestSupport
import Testing

/// What scans open ahead, and what they leave in memory.
@Suite struct `A scan that opens leaves ahead` {
    private static let kinds: [StoreKind] = [.gcm, .ctrHMAC]
    /// The catalog's page, and those above the leaves on the way to one end of the tree.
    private static let wayPageCount = 3

    /// The number of records in this many leaves.
    private static func records(_ leafCount: Int) -> Int { leafCount * 28 }

    @Test(arguments: kinds, [ScanOrder.ascending, .descending])
    func `opens fewer in vain than it has visited`(kind: StoreKind, order: ScanOrder) throws {
        let counted = try CountedStore(kind)
        for leafCount in [1, 2, 5, 20, 90, 200] {
            try counted.reopen()
            let limit = Self.records(leafCount)
            let opened = try counted.scanCost(limit: limit, order).opened
            // The last 2 stands for two more branches, in which the scan, or what it opens ahead,
            // may continue.
            #expect(opened <= Self.wayPageCount + 2 * (leafCount + 1) + 2, "of \(leafCount)")
        }
    }

    @Test(arguments: kinds, [ScanOrder.ascending, .descending])
    func `of a range opens no leaf beyond it`(kind: StoreKind, order: ScanOrder) throws {
        let counted = try CountedStore(kind)
        let range = KeyRange.from(CountedStore.key(4000), upTo: CountedStore.key(5000))
        var opened = 0
        for isCold in [true, false] {
            let cost = try counted.readCost { snapshot, tree in
                var count = 0
                try snapshot.scan(tree, range, order: order) { _, _ in
                    count += 1
                    return .next
                }
                #expect(count == 1000)
            }
            if isCold { opened = cost.opened } else { #expect(cost == .nothing) }
        }
        // A leaf has at least 28 records; the 3 stands for a leaf at each side, and a branch.
        #expect(opened <= Self.wayPageCount + 1000 / 28 + 3)
    }

    /// The smallest cache has fewer frames than the number of leaves that a scan opens together.
    @Test(arguments: kinds, [ScanOrder.ascending, .descending])
    func `gives every record where the cache holds fewer leaves than it opens`(
        kind: StoreKind, order: ScanOrder
    ) throws {
        let counted = try CountedStore(kind, cacheByteLimit: 0)
        for _ in 0..<2 {
            _ = try counted.readCost { snapshot, tree in
                var numbers: [[UInt8]] = []
                try snapshot.scan(tree, order: order) { key, _ in
                    numbers.append(key.copied())
                    return .next
                }
                let expected = (0..<counted.recordCount).map(CountedStore.key)
                #expect(numbers == (order == .ascending ? expected : expected.reversed()))
            }
        }
    }

    /// One cache has some 250 frames for 360 leaves, the other 16 384 for 21 000, which is enough
    /// to open several stretches of leaves at a time.
    @Test(arguments: kinds, [(10_000, 1), (600_000, 64)])
    func `of more than the cache holds leaves what is often read in memory`(
        kind: StoreKind, size: (recordCount: Int, cacheMebibytes: Int)
    ) throws {
        let counted = try CountedStore(
            kind, recordCount: size.recordCount, cacheByteLimit: size.cacheMebibytes << 20)
        let often = stride(from: 0, to: counted.recordCount, by: 1000)
        func readOften() throws -> Int {
            try counted.readCost { snapshot, tree in
                for number in often {
                    let isThere = try snapshot.contains(CountedStore.key(number), in: tree)
                    #expect(isThere)
                }
            }.opened
        }
        _ = try readOften()
        #expect(try readOften() == 0)
        let opened = try counted.scanCost(limit: .max, .ascending).opened
        #expect(opened >= counted.recordCount / 34)
        #expect(try readOften() <= 4)
    }

    @Test(arguments: kinds)
    func `beside others of the same tree opens what it needs`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, cacheByteLimit: 1 << 20)
        _ = try counted.readCost { snapshot, tree in
            var (outer, inner) = (0, 0)
            try snapshot.scan(tree) { _, _ in
                outer += 1
                guard outer % 2500 == 1 else { return .next }
                try snapshot.scan(tree, order: .descending) { _, _ in
                    inner += 1
                    return .next
                }
                return .next
            }
            #expect(outer == counted.recordCount && inner == 4 * counted.recordCount)
        }
    }

    private struct Enough: Error {}

    @Test(arguments: kinds, [ScanOrder.ascending, .descending])
    func `gives every record, and opens each leaf once, however long it is`(
        kind: StoreKind, order: ScanOrder
    ) throws {
        let counted = try CountedStore(kind, recordCount: 60_000)
        let pageCount = try counted.reachedPageCount()
        try counted.reopen()
        let cost = try counted.readCost { snapshot, tree in
            var number = 0
            try snapshot.scan(tree, order: order) { key, _ in
                let expected = order == .ascending ? number : counted.recordCount - 1 - number
                #expect(key.copied() == CountedStore.key(expected))
                number += 1
                return .next
            }
            #expect(number == counted.recordCount)
        }
        #expect(cost.opened == pageCount)
    }

    /// Together, these scans open more leaves, and claim more frames, than the cache has room for,
    /// so each scan must give its frames back.
    @Test(arguments: kinds)
    func `leaves no frame behind, wherever it ends`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, recordCount: 600_000, cacheByteLimit: 64 << 20)
        for limit in stride(from: 100_000, to: 580_000, by: 11_000) {
            _ = try counted.readCost { snapshot, tree in
                var count = 0
                let order: ScanOrder = limit % 2000 == 0 ? .ascending : .descending
                #expect(throws: Enough.self) {
                    try snapshot.scan(tree, order: order) { _, _ in
                        count += 1
                        if count == limit { throw Enough() }
                        return .next
                    }
                }
            }
        }
        let opened = try counted.scanCost(limit: .max, .descending).opened
        #expect(opened > counted.recordCount / 34 - 16_384)
    }
}
