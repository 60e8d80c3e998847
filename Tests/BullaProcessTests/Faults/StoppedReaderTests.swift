import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `A reader that is stopped` {
    private let records = Records(count: 2000)
    private static let commitCount = TestMode.pick(short: 100, long: 2000)

    @Test(arguments: [StoreKind.gcm, .plain])
    func `24. keeps its snapshot, and holds back what it sees alone`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        // The log is so short that every commit is a direct commit.
        let store = try files.open { $0.fixLog(halfByteCount: 64 << 10) }
        try records.write(to: store, version: 0, durability: .full)
        let reader = try files.worker("hold", "tree=\(Records.tree)")
        let before = try reader.values()["before"]
        #expect(before == records.digest(version: 0).sum)
        reader.child.signal(ChildProcess.stop)
        reader.child.waitUntilStopped()

        for version in 1...40 { try records.write(to: store, version: version, durability: .full) }
        let byteCount = try files.byteCount
        for version in 41...Self.commitCount {
            try records.write(to: store, version: version, durability: .full)
        }
        // Pages that were written after the snapshot, and have been freed since, are reused.
        #expect(try files.byteCount <= byteCount + TestStore.growthChunk)
        try files.expectBounded(store, times: 5)

        reader.child.signal(ChildProcess.goOn)
        let after = try reader.stop().map { try WorkerProcess.parse($0).value }
        #expect(after == [before])
        try files.expectSound(store)
    }
}
