import Bulla
import BullaTestSupport
import Testing

/// What a commit costs in pages, bytes and calls: the same on every machine, in every build.
@Suite struct `The cost of a commit` {
    private static let pageByteCount = 4096

    /// What the calling thread does to files when it commits, where the file need not grow.
    private static let calls: [FileCall: Int] = [
        // The writer's lock and the flush lock, taken and given up.
        .lock: 4,
        // Both meta slots, by the writer and by who flushes: a coordination file that was put back
        // is older than they are.
        .read: 4,
        // Whether the store's path and its coordination file's still name what is open.
        .identity: 2,
        // The pages in one run, and the meta slot.
        .write: 2,
        .flush: 1,
    ]

    @Test(arguments: StoreKind.allCases, `The cost of a read`.heights)
    func `of one record is a page for each level, one of the catalog, and a meta slot`(
        kind: StoreKind, tree: (recordCount: Int, height: Int)
    ) throws {
        let counted = try CountedStore(kind, recordCount: tree.recordCount)
        try counted.put(0..<1)
        for number in 1...5 {
            let cost = try counted.cost { _ in try counted.put(number / 5..<number / 5 + 1) }
            let pageCount = tree.height + 1
            #expect(cost.sealed == pageCount)
            #expect(cost.pageBytes == pageCount * Self.pageByteCount)
            #expect(
                cost.files.writtenByteCount
                    == cost.pageBytes + MetaField.byteCount)
            #expect(cost.files.calls == Self.calls)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `that is relaxed has no flush and no meta slot`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        try counted.put(0..<1)
        let cost = try counted.cost { _ in
            try counted.put(0..<1, .relaxed(within: .seconds(3600)))
        }
        #expect(cost.sealed == 4)
        #expect(cost.files.writtenByteCount == 4 * Self.pageByteCount)
        #expect(cost.files.calls == [.lock: 2, .read: 2, .identity: 2, .write: 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `in which nothing was changed is the look at who may write`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        let cost = try counted.cost { try $0.write { _ in } }
        #expect(cost.sealed == 0)
        #expect(cost.files == CallCounter.Count(calls: [.lock: 2, .read: 2]))
    }

    @Test(arguments: StoreKind.allCases)
    func `that is the first after opening grows the file, and reserves the nonces of many`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(kind)
        let cost = try counted.cost { _ in try counted.put(0..<1) }
        #expect(cost.sealed == 4)
        // How long the file is, to read the pages that change and to grow; the mapping; whether the
        // files are in their places; zeros, and their flush.
        let growth: [FileCall: Int] = [
            .byteCount: 2, .map: 1, .identity: 2, .write: 1, .flush: 1,
        ]
        // The flush lock, the meta slots, the flush; a plain store has no nonces.
        let nonces: [FileCall: Int] =
            kind == .plain ? [:] : [.lock: 2, .read: 2, .write: 1, .flush: 1]
        // The meta slot that was read at opening may never have reached the disk.
        let settling: [FileCall: Int] = [.write: 1, .flush: 1]
        var calls = Self.calls.merging(growth, uniquingKeysWith: +)
            .merging(settling, uniquingKeysWith: +).merging(nonces, uniquingKeysWith: +)
        // Who has not flushed yet does not know how long that takes, and waits for nobody.
        if kind == .plain { calls[.isLocked] = nil }
        #expect(cost.files.calls == calls)
    }

    @Test(arguments: StoreKind.allCases)
    func `is shared by the records that lie next to each other`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        try counted.put(0..<1)
        // Of 1000 records that follow each other: the leaves that they fill, the pages above them,
        // the catalog's. A record has 123 bytes and what its leaf needs to find it.
        let cost = try counted.cost { _ in try counted.put(10_000..<11_000) }
        #expect(cost.sealed == 40)
        #expect(cost.pageBytes <= 1000 * 164)
        #expect(cost.files.writtenByteCount == cost.pageBytes + MetaField.byteCount)
        // The rightmost leaf and the page above it were not in memory.
        #expect(cost.opened == 2)
        #expect(cost.files.calls == Self.calls)
    }

    @Test(arguments: StoreKind.allCases)
    func `stays the same for long, but for runs of free pages that end`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        let commitCount = 1000
        var calls: [FileCall: Int] = [:]
        var sealed = 0
        for number in 0..<commitCount {
            let cost = try counted.cost { _ in try counted.put(number..<number + 1) }
            calls.merge(cost.files.calls, uniquingKeysWith: +)
            sealed += cost.sealed
        }
        #expect(sealed == 4 * commitCount)
        // Both places once a commit, and once more where the file grows.
        #expect(2 * commitCount...2 * commitCount + 10 ~= (calls[.identity] ?? 0))
        #expect(4 * commitCount...4 * commitCount + 10 ~= (calls[.read] ?? 0))
        // At the beginning nonces are reserved, and the file grows at most a few times.
        #expect(commitCount...commitCount + 5 ~= (calls[.flush] ?? 0))
        #expect(4 * commitCount...4 * commitCount + 10 ~= (calls[.lock] ?? 0))
        // Where a run ends, the rest of the commit goes into the next one: which pages are free
        // then depends on when the last commit was confirmed.
        #expect(2 * commitCount...2 * commitCount + commitCount / 2 ~= (calls[.write] ?? 0))
    }

    /// Of a store whose free pages lie two by two between others, and which may not grow.
    @Test(arguments: StoreKind.allCases)
    func `is hardly more where no run of free pages is long enough`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, recordCount: 200_000)
        try counted.thinOut()
        // Until what was deleted is confirmed, and may be used.
        for _ in 0..<20 { try counted.put(0..<1) }
        let pageCount = try counted.store.info.pageCount
        let commitCount = 200
        var sealed = 0
        for number in 0..<commitCount {
            sealed += try counted.cost { _ in try counted.put(number..<number + 1) }.sealed
        }
        #expect(try counted.store.info.pageCount <= pageCount)
        // Three pages of the tree, and two of the catalog.
        #expect(sealed <= 5 * commitCount + commitCount / 10)
    }
}
