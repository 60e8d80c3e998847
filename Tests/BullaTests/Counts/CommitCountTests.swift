import Bulla
import BullaTestSupport
import Testing

/// What a commit costs in pages, bytes and calls: the same on every machine, in every build.
@Suite struct `The cost of a commit` {
    /// A record of 123 bytes, its operation's header, and the rest of a frame.
    private static let frameByteCount = 204

    /// How many file calls the calling thread makes for a commit that waits for its flush.
    private static let calls: [FileCall: Int] = [
        // Take and release the writer's lock and the flush lock.
        .lock: 4,
        // Check whether the paths of the store and of its coordination file still name the open
        // files.
        .identity: 2,
        // Write the frame.
        .write: 1,
        .flush: 1,
    ]

    @Test(arguments: StoreKind.allCases, `The cost of a read`.heights)
    func `of one record is its frame, however many there are`(
        kind: StoreKind, tree: (recordCount: Int, height: Int)
    ) throws {
        let counted = try CountedStore(kind, recordCount: tree.recordCount)
        try counted.put(0..<1)
        let cost = try counted.least { try counted.put(0..<1) }
        #expect(cost.sealed == 0)
        #expect(cost.files.writtenByteCount == Self.frameByteCount)
        #expect(cost.files.calls == Self.calls)
    }

    @Test(arguments: StoreKind.allCases)
    func `that is relaxed has no flush`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        try counted.put(0..<1)
        let cost = try counted.least { try counted.put(0..<1, .relaxed(within: .seconds(3600))) }
        #expect(cost.files.writtenByteCount == Self.frameByteCount)
        #expect(cost.files.calls == [.lock: 2, .write: 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `in which nothing was changed is a look at the mapping, for what others have committed`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(kind)
        let cost = try counted.least { try counted.store.write { _ in } }
        #expect(cost.sealed == 0)
        #expect(cost.files == CallCounter.Count(calls: [.lock: 2]))
    }

    /// However many commits change a leaf, a checkpoint writes it once.
    @Test(arguments: StoreKind.allCases)
    func `is shared in pages by the records that lie next to each other`(kind: StoreKind) throws {
        let counted = try CountedStore(kind)
        try counted.put(0..<1)
        try counted.store.takeOverLog()
        let commits = try counted.cost { _ in
            for number in 10_000..<11_000 {
                try counted.put(number..<number + 1, .relaxed(within: .seconds(3600)))
            }
        }
        #expect(commits.sealed == 0)
        // The checkpoint seals the leaves that 1000 records fill, the pages above them, and the
        // catalog's page.
        let checkpoint = try counted.cost { try $0.takeOverLog() }
        #expect(checkpoint.sealed == 40)
        #expect(checkpoint.pageBytes <= 1000 * 164)
    }

    /// The free pages of the store lie in pairs between other pages, and the store must not grow.
    @Test(arguments: StoreKind.allCases)
    func `is hardly more pages where no run of free ones is long enough`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, recordCount: 200_000)
        try counted.thinOut()
        // Make checkpoints until the one that deleted the pages is confirmed, so that the pages may
        // be used.
        for _ in 0..<20 { try counted.putAndTakeOver(0) }
        let pageCount = try counted.store.info.pageCount
        let commitCount = 200
        var sealed = 0
        for number in 0..<commitCount {
            sealed += try counted.cost { _ in try counted.putAndTakeOver(number) }.sealed
        }
        #expect(try counted.store.info.pageCount <= pageCount)
        // Each commit seals three pages of the tree and two of the catalog.
        #expect(sealed <= 5 * commitCount + commitCount / 10)
    }
}

extension CountedStore {
    /// The lowest cost of several repetitions, because a commit sometimes also marks how far the
    /// log is durable.
    fileprivate func least(_ body: () throws -> Void) throws -> Cost {
        let costs = try (0..<10).map { _ in try cost { _ in try body() } }
        return try #require(
            costs.min { $0.files.calls.values.reduce(0, +) < $1.files.calls.values.reduce(0, +) })
    }

    fileprivate func putAndTakeOver(_ number: Int) throws {
        try put(number..<number + 1)
        try store.takeOverLog()
    }
}
