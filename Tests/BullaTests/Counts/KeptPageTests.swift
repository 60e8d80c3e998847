import Bulla
import BullaTestSupport
import Testing

/// Which pages stay in memory when a commit replaces them, measured by how many must be opened
/// again.
@Suite struct `Pages that a commit has replaced` {
    /// So few records that a commit of their pages does not count as large.
    private static let records = 0..<3000
    /// The length of a log's half, so short that each commit of these records changes pages at
    /// once.
    private static let shortLog: UInt64 = 64 << 10
    private static let kinds: [StoreKind] = [.gcm, .ctrHMAC]
    /// The number of leaves that hold most of the records.
    private static let most = 80
    /// The maximum number of pages that are opened again: the leaves whose changes are in the log
    /// before a commit outgrows it, the leaf after them, and pages that move home because they are
    /// read often.
    private static let few = 16

    @Test(arguments: kinds)
    func `are in memory as the commit has made them`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, logHalfByteCount: Self.shortLog)
        try counted.put(Self.records)
        #expect(try counted.openedByScan() <= Self.few)
    }

    /// Pages of this one commit that do not fit into the cache lie in the writer's own memory.
    @Test(arguments: kinds)
    func `are in memory also after a commit that was larger than the cache`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(
            kind, cacheByteLimit: 1 << 20, logHalfByteCount: Self.shortLog)
        try counted.put(0..<counted.recordCount)
        try counted.put(0..<1)
        let cost = try counted.readCost { snapshot, tree in
            let isThere = try snapshot.contains(CountedStore.key(0), in: tree)
            #expect(isThere)
        }
        #expect(cost.opened == 0)
    }

    @Test(arguments: kinds)
    func `go at once where nobody has looked at them since they were made`(
        kind: StoreKind
    ) throws {
        let counted = try CountedStore(kind, logHalfByteCount: Self.shortLog)
        try counted.put(Self.records)
        let former = try counted.store.makeSnapshot()
        try counted.put(Self.records)
        let opened = try counted.openedByScan(of: former)
        #expect(opened >= Self.most)
    }

    @Test(arguments: kinds)
    func `stay until the next commit where somebody has`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, logHalfByteCount: Self.shortLog)
        try counted.put(Self.records)
        #expect(try counted.openedByScan() <= Self.few)
        let former = try counted.store.makeSnapshot()
        try counted.put(Self.records)
        let opened = try counted.openedByScan(of: former)
        #expect(opened <= Self.few)
        try counted.put(Self.records)
        let openedLater = try counted.openedByScan(of: former)
        #expect(openedLater >= Self.most)
    }

    @Test(arguments: kinds)
    func `are there after a transaction that was given up`(kind: StoreKind) throws {
        struct GivenUp: Error {}
        let counted = try CountedStore(kind, logHalfByteCount: Self.shortLog)
        try counted.put(Self.records)
        #expect(try counted.openedByScan() <= Self.few)
        #expect(throws: GivenUp.self) {
            try counted.store.write { change in
                let tree = try change.tree(named: CountedStore.tree)
                for number in Self.records { try change.delete(CountedStore.key(number), in: tree) }
                throw GivenUp()
            }
        }
        #expect(try counted.openedByScan() <= Self.few)
    }
}

/// Which pages are in memory after a checkpoint has made them.
@Suite struct `Pages that a checkpoint has made` {
    private static let records = 0..<3000
    /// The length of a log's half, so long that all puts fit into it.
    private static let longLog: UInt64 = 4 << 20
    /// The maximum number of pages that are opened again: those that move home because they are
    /// read often.
    private static let few = 5
    /// The number of leaves that hold most of the records.
    private static let most = 80

    @Test(arguments: StoreKind.allCases)
    func `are in memory where those that they replace were`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, logHalfByteCount: Self.longLog)
        #expect(try counted.openedByScan() >= Self.most)
        for _ in 0..<3 {
            try counted.put(Self.records)
            #expect(try counted.store.checkpoint())
            #expect(try counted.openedByScan() <= Self.few)
        }
    }

    /// A plain store is not tested, because its pages are in the mapping whether they were read or
    /// not.
    @Test(arguments: [StoreKind.gcm, .ctrHMAC])
    func `are in the file alone where nobody has read those`(kind: StoreKind) throws {
        let counted = try CountedStore(kind, logHalfByteCount: Self.longLog)
        try counted.put(Self.records)
        #expect(try counted.store.checkpoint())
        #expect(try counted.openedByScan() >= Self.most)
    }

    /// Pages that were not kept are opened again.
    @Test(arguments: StoreKind.allCases)
    func `leave readers enough of a cache that is smaller than they are`(kind: StoreKind) throws {
        let counted = try CountedStore(
            kind, cacheByteLimit: 1 << 20, logHalfByteCount: Self.longLog)
        for _ in 0..<5 {
            _ = try counted.openedByScan()
            try counted.put(0..<counted.recordCount)
            // The result does not matter, because the store may have made a checkpoint already.
            try counted.store.checkpoint()
            _ = try counted.openedByScan()
        }
        #expect(try counted.store.check().isSound)
    }
}

extension CountedStore {
    /// How many pages had to be opened to read the records that the tests write.
    fileprivate func openedByScan(of snapshot: borrowing Snapshot) throws -> Int {
        try cost { _ in
            var count = 0
            let tree = try snapshot.tree(named: Self.tree)
            try snapshot.scan(tree, .from(Self.key(0), upTo: Self.key(3000))) { _, _ in
                count += 1
                return .next
            }
            #expect(count == 3000)
        }.opened
    }

    fileprivate func openedByScan() throws -> Int {
        let snapshot = try store.makeSnapshot()
        return try openedByScan(of: snapshot)
    }
}
