import Bulla
import BullaTestSupport
import Testing

@Suite struct `What memtables take of a half` {
    private let scratch: Scratch
    private let trees = (0..<8).map { "t\($0)" }
    private let unflushed = Durability.relaxed(within: .seconds(3600))

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("s"), pageByteCount: 4096) {
            $0.logHalfByteCount = 512 << 10
            $0.logHalfByteLimit = 32 << 20
            $0.checkpointsWhenIdle = false
        }
    }

    /// Puts one key into each tree, in a commit that nobody flushes.
    private func put(_ number: Int, in store: Store) throws {
        let key = [UInt8(number / 250), UInt8(number % 250)]
        try store.write(durability: unflushed) { change in
            for name in trees {
                try change.put([1], forKey: key, in: change.openOrCreateTree(named: name))
            }
        }
    }

    private func expectEntries(_ count: Int, in store: Store) throws {
        let counts = try store.read(visibility: .published) { snapshot in
            try trees.map { try snapshot.count(of: try snapshot.tree(named: $0)) }
        }
        #expect(counts == trees.map { _ in count })
    }

    @Test(arguments: StoreKind.allCases)
    func `is there for stores opened before the log grew and after`(
        kind: StoreKind
    ) throws {
        let (first, second) = (try open(kind), try open(kind))
        try put(0, in: first)
        let before = try first.info.log.byteCount
        for _ in 0..<3 {
            try first.write { change in
                // Use more than a quarter of the log, so that it grows.
                try change.putNumbered(0..<40_000, in: change.openOrCreateTree(named: "t"))
            }
            _ = try second.read { try $0.count(of: try $0.tree(named: "t")) }
        }
        #expect(try first.info.log.byteCount > before)
        let third = try open(kind)
        for number in 0..<2000 { try put(number, in: third) }
        for store in [second, first, third] { try expectEntries(2000, in: store) }
        for store in [third, second, first] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `is there for a follower whose index is taller than the writer's`(
        kind: StoreKind
    ) throws {
        let (writer, follower) = (try open(kind), try open(kind))
        for number in 0..<130 { try put(number, in: writer) }
        try expectEntries(130, in: follower)
        // The writer starts a new index over the trees; the follower goes on with its own.
        try writer.takeOverLog()
        for round in 0..<2000 { try put(round % 125, in: writer) }
        try expectEntries(130, in: follower)
        try expectEntries(130, in: writer)
        for store in [follower, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `is bounded for commits that nobody flushes, by flushes now and then`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        for number in 0..<200 { try put(number, in: store) }
        // What the snapshot sees stays in memory, and no flush changes that.
        let snapshot = try store.makeSnapshot(visibility: .published)
        let before = try store.statistics.flushCount
        for round in 0..<1500 { try put(round % 200, in: store) }
        let flushes = try store.statistics.flushCount - before
        #expect((1...20).contains(flushes))
        #expect(try store.info.log.memoryByteCount < 40 << 20)
        try expectEntries(200, in: store)
        #expect(try snapshot.count(of: try snapshot.tree(named: "t0")) == 200)
        try store.close()
    }
}
