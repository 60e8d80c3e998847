import Bulla
import BullaTestSupport
import Testing

/// What reading costs in pages and calls: the same on every machine, in every build.
@Suite struct `The cost of a read` {
    /// Numbers of records, and the height of their tree: 4096-byte pages hold about 30 records, or
    /// pointers to about 80 pages.
    static let heights: [(recordCount: Int, height: Int)] = [(1, 1), (200, 2), (10_000, 3)]

    @Test(arguments: StoreKind.allCases)
    func `is no page and no call where the pages are in memory`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        for isCounted in [false, true] {
            let cost = try counted.readCost { snapshot, tree in
                for number in 0..<counted.recordCount {
                    let key = CountedStore.key(number)
                    let byteCount = try snapshot.withValue(forKey: key, in: tree) { $0.byteCount }
                    #expect(byteCount == CountedStore.value.count)
                }
            }
            if isCounted { #expect(cost == .nothing) }
        }
    }

    @Test(arguments: StoreKind.allCases, heights)
    func `of which nothing is in memory is one page for each level, and the catalog`(
        kind: StoreKind, tree: (recordCount: Int, height: Int)
    ) throws {
        let counted = try CountedStore(kind, recordCount: tree.recordCount)
        let number = tree.recordCount / 2
        let first = try counted.readOne(number)
        #expect(first.opened == 1 + tree.height)
        #expect(first.files.calls == CountedStore.firstCalls)
        #expect(try counted.readOne(number) == .nothing)
    }

    /// One kind is enough, because stores of all kinds have pages of the same size, and so trees of
    /// the same height.
    @Test func `touches four pages of a tree of a million records`() throws {
        let counted = try CountedStore(.gcm, recordCount: 1_000_000)
        #expect(try counted.readOne(500_000).opened == 1 + 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `of another record, once the file is mapped, calls nothing`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        _ = try counted.readOne(0)
        let cost = try counted.readOne(counted.recordCount - 1)
        // The catalog and the root are in memory.
        #expect(cost == Cost(opened: 2))
    }

    @Test(arguments: StoreKind.allCases)
    func `of many records at once opens no page twice`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        let keys = (0..<counted.recordCount).map(CountedStore.key)
        for isCold in [true, false] {
            let cost = try counted.readCost { snapshot, tree in
                let values = try snapshot.values(forKeys: keys, in: tree)
                #expect(values.allSatisfy { $0 == CountedStore.value })
                let areThere = try snapshot.presence(ofKeys: keys, in: tree)
                #expect(!areThere.contains(false))
                var count = 0
                try snapshot.withValues(forKeys: keys, in: tree) { index, value in
                    if index == count, value?.byteCount == CountedStore.value.count { count += 1 }
                }
                #expect(count == keys.count)
            }
            #expect(try cost.opened == (isCold ? counted.reachedPageCount() : 0))
            #expect(cost.files.calls == (isCold ? CountedStore.firstCalls : [:]))
        }
    }

    /// The commit has too many pages for all of them to be kept in memory, so each page is opened
    /// once.
    @Test(arguments: StoreKind.allCases)
    func `after a large commit is to open what is read often, each page once`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(kind)
        try counted.put(0..<counted.recordCount)
        let pageCount = try counted.reachedPageCount()
        let costs = try (0..<8).map { _ in
            try counted.readCost { snapshot, tree in
                for number in 0..<counted.recordCount {
                    let value = try snapshot.value(forKey: CountedStore.key(number), in: tree)
                    try #require(value == CountedStore.value)
                }
            }.opened
        }
        #expect(costs.reduce(0, +) <= pageCount)
        #expect(costs[7] == 0)
    }
}

/// What a scan costs in pages and calls.
@Suite struct `The cost of a scan` {
    @Test(arguments: StoreKind.allCases, [ScanOrder.ascending, .descending])
    func `is each page once, and then none`(kind: StoreKind, order: ScanOrder) throws {
        let counted = try CountedStore(kind)
        for isCold in [true, false] {
            let cost = try counted.scanCost(limit: .max, order)
            #expect(try cost.opened == (isCold ? counted.reachedPageCount() : 0))
            #expect(cost.files.calls == (isCold ? CountedStore.firstCalls : [:]))
        }
    }

    @Test(arguments: StoreKind.allCases, [ScanOrder.ascending, .descending])
    func `that stops at the first entry is that of a read`(kind: StoreKind, order: ScanOrder) throws
    {
        let counted = try CountedStore(kind)
        #expect(try counted.scanCost(limit: 1, order).opened == 4)
        #expect(try counted.scanCost(limit: 1, order) == .nothing)
    }

    @Test(arguments: StoreKind.allCases)
    func `that stops opens the leaves that it has visited, and no other`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        // The leaves are opened in addition to the catalog's page and the two pages above them.
        let cost = try counted.scanCost(limit: 100, .ascending)
        #expect(cost.opened == 3 + 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `by a cursor is the same`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        for isCold in [true, false] {
            let cost = try counted.readCost { snapshot, tree in
                var cursor = try snapshot.makeCursor(in: tree)
                var count = 0
                while try cursor.moveToNext() { count += 1 }
                #expect(count == counted.recordCount)
            }
            #expect(try cost.opened == (isCold ? counted.reachedPageCount() : 0))
            #expect(cost.files.calls == (isCold ? CountedStore.firstCalls : [:]))
        }
    }
}

extension CountedStore {
    fileprivate func readOne(_ number: Int) throws -> Cost {
        try readCost { snapshot, tree in
            let isThere = try snapshot.contains(Self.key(number), in: tree)
            #expect(isThere)
        }
    }

    func scanCost(limit: Int, _ order: ScanOrder) throws -> Cost {
        try readCost { snapshot, tree in
            var count = 0
            try snapshot.scan(tree, order: order) { _, _ in
                count += 1
                return count < limit ? .next : .stop
            }
            #expect(count == min(limit, recordCount))
        }
    }
}
