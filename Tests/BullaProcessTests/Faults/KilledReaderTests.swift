import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `Readers killed inside their snapshots` {
    private static let crewCount = 8
    /// How many snapshots each reader holds: all readers together hold more than twice as many as a
    /// new coordination file has slots.
    private static let snapshotCount = 40
    private static let rounds = TestMode.pick(short: 5, long: 125)
    private let records = Records(count: 2000)

    @Test func `25. leave slots that are used again, and pages that come back`() throws {
        let files = try TestStore(.gcm)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        var lengths: Set<Int> = []
        for round in 1...Self.rounds {
            let readers = try (0..<Self.crewCount).map { _ in
                try files.worker("pin", "count=\(Self.snapshotCount)")
            }
            for reader in readers { _ = try reader.values() }
            try records.write(to: store, version: round, durability: .full)
            for reader in readers { _ = try reader.kill() }
            lengths.insert(try files.scratch.byteCount(TestStore.name + ".bulla-world"))
        }
        #expect(lengths.count == 1, "the slots of the dead were not used again")
        for version in 1...4 {
            try records.write(to: store, version: version, durability: .full)
            try store.takeOverLog()
        }
        let info = try store.info
        #expect(info.pendingPageCount <= 3 * info.livePageCount)
        try files.expectSound(store)
        try files.expectBounded(store)
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `25. hold back nothing while a living one beside them reads on`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        let (living, before) = try held(files)
        for version in 1...TestMode.pick(short: 30, long: 300) {
            let (dead, _) = try held(files)
            try records.write(to: store, version: version, durability: .full)
            _ = try dead.kill()
        }
        try files.expectBounded(store, times: 5)
        #expect(try living.stop() == ["after=\(before)"])
        try files.expectSound(store)
    }

    private func held(_ files: TestStore) throws -> (WorkerProcess, UInt64) {
        let worker = try files.worker("hold", "tree=\(Records.tree)")
        return (worker, try #require(try worker.values()["before"]))
    }
}
