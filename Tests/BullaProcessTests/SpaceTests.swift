import Bulla
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `The space of a file` {
    private static let entryCount = TestMode.pick(short: 4000, long: 10_000)
    private let records = Records(count: Self.entryCount)

    @Test(arguments: [StoreKind.gcm, .plain])
    func `is bounded under endless overwriting of a few keys`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        var random = TestRandom(seed: 4)
        for version in 1...TestMode.pick(short: 300, long: 1000) {
            let indices = (0..<100).map { _ in random.below(records.count) }
            try records.write(to: store, indices: indices, version: version, durability: .full)
        }
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `is bounded under endless overwriting of all keys`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try files.open()
        let last = TestMode.pick(short: 40, long: 100)
        for version in 0...last {
            try records.write(to: store, version: version, durability: .full)
        }
        #expect(
            try store.read { try $0.digest(of: Records.tree) } == records.digest(version: last))
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    @Test func `is bounded by what is written between two flushes when most commits are relaxed`()
        throws
    {
        let files = try TestStore(.gcm)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        var random = TestRandom(seed: 5)
        var greatest = 0
        for round in 1...TestMode.pick(short: 30, long: 100) {
            let before = try store.statistics.writtenByteCount
            for step in 1...10 {
                let indices = (0..<100).map { _ in random.below(records.count) }
                try records.write(
                    to: store, indices: indices, version: round,
                    durability: step == 10 ? .full : Records.relaxed)
            }
            greatest = max(greatest, try store.statistics.writtenByteCount - before)
        }
        try files.expectSound(store)
        try files.expectBounded(store, allowance: 2 * greatest)
    }

    @Test func `is used again after everything was deleted`() throws {
        let files = try TestStore(.gcm)
        // Use a log of constant length.
        let store = try files.open { $0.logByteLimit = 1 << 20 }
        try records.write(to: store, version: 0, durability: .full)
        let before = try files.byteCount
        for version in 1...5 {
            try records.deleteAll(from: store)
            try records.write(to: store, version: version, durability: .full)
        }
        #expect(try files.byteCount <= before + TestStore.growthChunk)
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    @Test func `is held back by a long snapshot only as far as the snapshot sees`() throws {
        let files = try TestStore(.gcm)
        // Use a log of constant length.
        let store = try files.open { $0.logByteLimit = 1 << 20 }
        try records.write(to: store, version: 0, durability: .full)
        try overwriteUnderSnapshot(files, store)
        // The snapshot has ended; the next commits use the pages that it held back.
        let byteCount = try files.byteCount
        for version in 51...60 {
            try records.write(to: store, version: version, durability: .full)
        }
        #expect(try files.byteCount <= byteCount + TestStore.growthChunk)
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    private func overwriteUnderSnapshot(_ files: TestStore, _ store: Store) throws {
        let snapshot = try store.makeSnapshot()
        let before = try snapshot.digest(of: Records.tree)
        for version in 1...50 {
            try records.write(to: store, version: version, durability: .full)
        }
        #expect(try snapshot.digest(of: Records.tree) == before)
        #expect(before == records.digest(version: 0))
        // The snapshot adds only the version that it sees.
        try files.expectBounded(store, times: 5)
    }
}
