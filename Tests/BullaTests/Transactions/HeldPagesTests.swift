import Bulla
import BullaTestSupport
import Testing

/// Which freed pages old snapshots still need, and what that costs writers.
@Suite struct `Pages that a snapshot holds back` {
    private static let leafCount = 1500
    private static let recordsPerLeaf = 3

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A store with pages of 4 KiB, three records to a leaf, and a log of constant length, because
    /// the log's pages are counted, too.
    private func open(_ kind: StoreKind) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096) {
            $0.cacheByteLimit = 4096
            $0.logByteLimit = 1 << 20
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<Self.leafCount * Self.recordsPerLeaf {
                try change.put(value(0), forKey: key(number), in: tree)
            }
        }
        return store
    }

    private func key(_ number: Int) -> String { String(1_000_000 + number) }
    private func value(_ version: Int) -> [UInt8] { UInt64(version).bytes + Self.padding }
    private static let padding = [UInt8](repeating: 0x2E, count: 1192)

    private func put(_ numbers: [Int], _ version: Int, to store: Store) throws {
        try store.write { change in
            let tree = try change.tree(named: "t")
            for number in numbers { try change.put(value(version), forKey: key(number), in: tree) }
        }
        // Move the commit from the log to pages.
        try store.takeOverLog()
    }

    private func expect(_ snapshot: borrowing Snapshot, _ versions: [Int: Int]) throws {
        var (count, wrongCount) = (0, 0)
        try snapshot.scan(try snapshot.tree(named: "t")) { _, found in
            if !found.equals(value(versions[count] ?? 0)) { wrongCount += 1 }
            count += 1
            return .next
        }
        #expect(count == Self.leafCount * Self.recordsPerLeaf)
        #expect(wrongCount == 0)
    }

    /// Each commit frees a page that the snapshot needs, and others that nobody needs.
    ///
    /// There are more commits than one pass through the freed pages can cover.
    @Test(.enabled(if: !TestMode.hasChecks))
    func `are no more than it had, and are there again when it ends`() throws {
        let store = try open(.plain)
        let snapshot = try store.makeSnapshot()
        let before = try store.info
        for round in 0..<2 {
            for leaf in 0..<Self.leafCount {
                try put([leaf * Self.recordsPerLeaf], round + 1, to: store)
            }
            let info = try store.info
            #expect(info.pendingPageCount <= before.livePageCount + 200, "round \(round)")
            #expect(info.pageCount <= 2 * before.livePageCount + 2000, "round \(round)")
        }
        #expect(try store.check().isSound)
        try expect(snapshot, [:])
        _ = consume snapshot
        for number in 0..<200 { try put([number], 3, to: store) }
        #expect(try store.info.pendingPageCount < 200)
        #expect(try store.check().isSound)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(2))
    func `are whole for each of several, whichever ends first`(kind: StoreKind, seed: UInt64) throws
    {
        let store = try open(kind)
        var random = TestRandom(seed: seed)
        var versions: [Int: Int] = [:]
        var held: [(one: HeldSnapshot, versions: [Int: Int])] = []
        for round in 1...150 {
            let numbers = (0..<random.below(12)).map { _ in
                random.below(Self.leafCount * Self.recordsPerLeaf)
            }
            try put(numbers, round, to: store)
            for number in numbers { versions[number] = round }
            if random.isOne(in: 6), held.count < 6 {
                held.append((HeldSnapshot(try store.makeSnapshot(), ModelState()), versions))
            }
            if random.isOne(in: 8), !held.isEmpty {
                let (one, versions) = held.remove(at: random.below(held.count))
                try expect(one.snapshot, versions)
            }
        }
        #expect(try store.check().isSound)
        for (one, versions) in held { try expect(one.snapshot, versions) }
        held = []
        for number in 0..<100 { try put([number], 1000, to: store) }
        #expect(try store.info.pendingPageCount < 300)
        #expect(try store.check().isSound)
        try store.close()
    }
}
