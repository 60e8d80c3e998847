import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite struct `Small durable commits of four processes` {
    private static let workerCount = 4
    private static let commitCount = TestMode.pick(short: 200, long: 5000)

    @Test(arguments: [StoreKind.gcm, .plain])
    func `are each counted once, and share flushes`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        let store = try files.open()
        try store.write { try $0.openOrCreateTree(named: "commits") }
        let before = try store.statistics
        let workers = try (0..<Self.workerCount).map { index in
            try files.worker("commit", "worker=\(index)", "count=\(Self.commitCount)")
        }
        for worker in workers { _ = try worker.values() }
        for worker in workers { worker.begin() }
        var acknowledged = 0
        for worker in workers { acknowledged += Int(try worker.values()["acknowledged"] ?? 0) }
        let after = try store.statistics
        for worker in workers { _ = try worker.stop() }

        let commits = after.commitCount - before.commitCount
        let flushes = after.flushCount - before.flushCount
        print(
            "group commit: \(kind.rawValue), \(commits) commits, \(flushes) flushes, "
                + "\(Double(flushes) / Double(commits)) flushes a commit")
        #expect(acknowledged == Self.workerCount * Self.commitCount)
        #expect(commits == acknowledged)
        // A process does not flush for a commit that another process's flush has already made
        // durable.
        #expect(flushes >= 1 && flushes <= commits + Self.workerCount)
        #expect(try store.read { try $0.sum(of: "commits") } == UInt64(acknowledged))
    }
}
