#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A database that fails", .cluster, .serialized)
struct PostgreSQLFaultTests {
    @Test("commits each batch once, whichever replies are lost")
    func lostReplies() throws {
        let cluster = try PostgreSQLCluster.present
        let database = try cluster.newDatabase()
        for seed in TestMode.seeds(TestMode.pick(short: 2, long: 20)) {
            let dice = Mutex(TestRandom(seed: seed))
            let lossCount = Atomic(0)
            let relay = try LossyRelay(to: cluster) {
                let loss = dice.withLock { $0.pick(LossyRelay.Loss.often) }
                if loss != .none { lossCount.add(1, ordering: .relaxed) }
                return loss
            }
            let backend = try PostgreSQLBackend(
                relay.address(database.database), patience: .seconds(120))
            var bench = BackendBench(try PostgreSQLBackend(database), seed: seed)
            let zone = try bench.zone("zone \(seed)")
            for number in 0..<40 {
                let change = BackendBatch.Change(
                    "r\(number)", expected: .nothing, entry: bench.entry())
                let batch = bench.batch([change], in: zone, head: UInt64(number))
                #expect(
                    try backend.commit(batch) == .committed(first: UInt64(number) + 1),
                    "\(TestMode.replay(seed))")
            }
            #expect(lossCount.load(ordering: .relaxed) > 0)
            let page = try bench.backend.changes(in: zone, after: 0, limit: 99)
            #expect(page?.changes.map(\.name) == (0..<40).map { "r\($0)" })
            #expect(page?.headVersion == 40)
        }
    }

    @Test("keeps what it has acknowledged when its server is killed")
    func killed() throws {
        let cluster = try PostgreSQLCluster.present
        let database = try cluster.newDatabase()
        let backend = try PostgreSQLBackend(database, patience: .seconds(60))
        var bench = BackendBench(backend)
        let zone = try bench.zone()
        for number in 0..<30 {
            if number % 10 == 5 {
                try cluster.kill(9)
                try cluster.start()
            }
            #expect(try bench.save("r\(number)", in: zone) == .committed(first: UInt64(number) + 1))
        }
        #expect(try bench.feed(of: zone).count == 30)
    }

    @Test("is said to be unavailable while its server is down, and serves again afterwards")
    func down() throws {
        let cluster = try PostgreSQLCluster.present
        let backend = try PostgreSQLBackend(
            try cluster.newDatabase(), patience: .milliseconds(100))
        var bench = BackendBench(backend)
        let zone = try bench.zone()
        try cluster.kill(9)
        // A session may live a moment longer than its server.
        var code: RecordError.Code?
        for _ in 0..<10_000 where code == nil {
            code = try bench.code { _ = try $0.changes(in: zone, after: 0, limit: 1) }
        }
        #expect(code == .unavailable)
        try cluster.start()
        #expect(try backend.changes(in: zone, after: 0, limit: 1)?.headVersion == 0)
    }

    @Test(
        "is refused if it can lose what it acknowledges",
        arguments: ["fsync", "synchronous_commit"])
    func forgetful(setting: String) throws {
        let cluster = try PostgreSQLCluster.present
        let address = try cluster.newDatabase()
        try cluster.kill(2)
        try cluster.start([setting: "off"])
        #expect {
            _ = try PostgreSQLBackend(address)
        } throws: { error in
            (error as? RecordError)?.reason.contains(setting) ?? false
        }
        try cluster.kill(2)
        try cluster.start()
        _ = try PostgreSQLBackend(address)
    }
}
#endif
