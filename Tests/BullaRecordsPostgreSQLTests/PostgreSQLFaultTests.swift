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

    @Test("needs no right to change tables once they are there")
    func tables() throws {
        let cluster = try PostgreSQLCluster.present
        var address = try cluster.newDatabase()
        var bench = BackendBench(try PostgreSQLBackend(address))
        let zone = try bench.zone()
        for statement in [
            "CREATE ROLE plain LOGIN",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO plain",
        ] { try cluster.run(statement, in: address.database) }
        address = try cluster.address(address.database, user: "plain")
        var other = BackendBench(try PostgreSQLBackend(address), seed: 2)
        #expect(try other.save("r", in: zone) == .committed(first: 1))
    }

    @Test("completes tables of the former format once")
    func formerFormat() throws {
        let cluster = try PostgreSQLCluster.present
        let address = try cluster.newDatabase()
        _ = try PostgreSQLBackend(address)
        let setFormat = "UPDATE bulla_store SET value = '\\x0%' WHERE name = 'format'"
        for statement in [
            "DROP INDEX bulla_uploads", "ALTER TABLE bulla_assets DROP COLUMN uploader",
            "DROP TABLE bulla_homes", setFormat.replacing("%", with: "2"),
        ] { try cluster.run(statement, in: address.database) }
        var bench = BackendBench(try PostgreSQLBackend(address))
        let asset = bench.identifier()
        try bench.backend.put([[1]], from: 0, of: asset, in: BackendBench.public, time: 5)
        // A row in the older format names no database. After more chunks of its asset are uploaded
        // for a database, the row names that database.
        try cluster.run("UPDATE bulla_assets SET uploader = NULL", in: address.database)
        try bench.backend.put([[2]], from: 1, of: asset, in: BackendBench.public, time: 5)
        let other = bench.database()
        let code = try bench.code { try $0.put([[3]], from: 2, of: asset, in: other, time: 5) }
        #expect(code == .invalidArguments)
        #expect(try bench.backend.freeOrphans(before: 6) == 1)
        try cluster.run(setFormat.replacing("%", with: "9"), in: address.database)
        #expect(throws: RecordError.self) { try PostgreSQLBackend(address) }
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
