import Bulla
import BullaTestSupport
import Testing

/// Which pages a held snapshot keeps from being reused, and what a process keeps in memory
/// meanwhile.
@Suite(.serialized) struct `A snapshot that is held for many commits` {
    private static let recordCount = TestMode.pick(short: 1_000, long: 10_000)
    private static let commitCount = TestMode.pick(short: 5_000, long: 1_000_000)

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func key(_ number: Int) -> String { "record \(number % recordCount)" }

    /// A value that begins with the number, and is as long as a small record.
    private static func value(_ number: Int) -> [UInt8] {
        (0..<100).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 8))) }
    }

    private static func put(_ number: Int, _ store: Store) throws {
        try store.write(durability: .relaxed(within: .seconds(1))) { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put(value(number), forKey: key(number), in: tree)
        }
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `holds back what it sees and no more, and the log's memory stays within its limit`(
        kind: StoreKind
    ) throws {
        let store = try kind.open(scratch.path("store"), pageByteCount: 4096)
        for number in 0..<Self.recordCount { try Self.put(number, store) }
        let snapshot = try store.makeSnapshot(visibility: .published)
        try store.checkpoint()
        let before = try store.info
        var peak = 0
        for number in Self.recordCount..<Self.recordCount + Self.commitCount {
            try Self.put(number, store)
            guard number % 1_000 == 0 else { continue }
            peak = max(peak, try store.info.log.memoryByteCount)
        }
        try store.checkpoint()
        let limit = before.livePageCount + 100
        let held = try lookThrough(store, until: limit)
        let tree = try snapshot.tree(named: "t")
        for number in 0..<Self.recordCount {
            #expect(try snapshot.value(forKey: Self.key(number), in: tree) == Self.value(number))
        }
        _ = consume snapshot
        let after = try lookThrough(store, until: 99)
        TestMode.tell(
            "a snapshot held for \(Self.commitCount) commits, \(kind.rawValue): memory of the log "
                + "\(peak) bytes at most, of a log of \(held.log.byteLimit); pages before: "
                + "\(Self.pages(before)), held: \(Self.pages(held)), after: \(Self.pages(after))")
        #expect(peak <= 2 * held.log.byteLimit)
        // All pages that the snapshot sees may have been replaced; they are kept. No page of the
        // commits in between is kept.
        #expect(held.pendingPageCount <= limit)
        #expect(after.pendingPageCount < 100)
        #expect(after.pageCount <= held.pageCount)
        #expect(try store.check().isSound)
        try store.close()
    }

    /// Makes checkpoints until at most `limit` pages are pending.
    ///
    /// The pages that many checkpoints have freed, including an outgrown half of the log, are
    /// reclaimed together, and only when a checkpoint needs pages.
    private func lookThrough(_ store: Store, until limit: Int) throws -> StoreInfo {
        for _ in 0..<500 where try store.info.pendingPageCount > limit {
            try Self.put(0, store)
            try store.checkpoint()
        }
        return try store.info
    }

    private static func pages(_ info: StoreInfo) -> String {
        "\(info.pageCount) (\(info.livePageCount) live, \(info.pendingPageCount) pending)"
    }
}
