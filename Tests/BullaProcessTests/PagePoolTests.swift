import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Testing

@Suite(.serialized) struct `Workers that share a page pool` {
    private static let killCount = TestMode.pick(short: 60, long: 2000)

    /// The length of a pool that is so small that the workers evict pages all the time.
    private static let smallByteCount = 1 << 20

    @Test(arguments: [Self.smallByteCount, 64 << 20])
    func `and are killed at any step lose nothing, and hold nobody up`(byteCount: Int) throws {
        let seed = Int.random(in: 0..<1 << 30)
        print("page pool: \(byteCount) bytes, seed \(seed)")
        let pool = try PoolOwner(byteCount: byteCount)
        let files = try TestStore(.gcm, pool: pool)
        try files.createTorture()
        var crew = TortureCrew(files, seed: seed)
        try crew.goOn(untilKills: Self.killCount)
        try crew.stop()
        try files.expectSurvived(try Scoreboard(files.scoresPath))
        #expect(!pool.memory.holdsAnything)
    }

    @Test func `leave plaintext when all are killed, and the next worker wipes it`() throws {
        let pool = try PoolOwner(byteCount: 64 << 20)
        let files = try TestStore(.gcm, pool: pool)
        let records = Records(count: 5000)
        let store = try files.open()
        try records.write(to: store, version: 0, durability: .full)
        try store.close()
        #expect(!pool.memory.holdsAnything)
        let worker = try files.worker("hold", "tree=\(Records.tree)")
        let before = try worker.values()["before"]
        #expect(before == records.digest(version: 0).sum)
        try worker.kill()
        #expect(pool.memory.holdsAnything)
        let next = try files.open()
        let digest = try next.read { try $0.digest(of: Records.tree).sum }
        #expect(digest == before)
        try next.close()
        #expect(!pool.memory.holdsAnything)
    }

    @Test func `go on while one of them is stopped, which keeps its snapshot`() throws {
        let pool = try PoolOwner(byteCount: Self.smallByteCount)
        let files = try TestStore(.gcm, pool: pool)
        let records = Records(count: 20_000)
        let store = try files.open { $0.cacheByteLimit = 0 }
        try records.write(to: store, version: 0, durability: .full)
        try store.takeOverLog()
        let reader = try files.worker("hold", "tree=\(Records.tree)", "cache=0")
        let before = try reader.values()["before"]
        reader.child.signal(ChildProcess.stop)
        reader.child.waitUntilStopped()
        for version in 1...5 {
            try records.write(to: store, version: version, durability: .full)
            try store.takeOverLog()
            let digest = try store.read { try $0.digest(of: Records.tree).sum }
            #expect(digest == records.digest(version: version).sum)
        }
        reader.child.signal(ChildProcess.goOn)
        let after = try reader.stop().map { try WorkerProcess.parse($0).value }
        #expect(after == [before])
        try files.expectSound(store)
        try store.close()
        #expect(!pool.memory.holdsAnything)
    }

    @Test func `have children after a fork that find no page`() throws {
        let pool = try PoolOwner(byteCount: Self.smallByteCount)
        let files = try TestStore(.gcm, pool: pool)
        let store = try files.open()
        try Records(count: 2000).write(to: store, version: 0, durability: .full)
        try store.close()
        let worker = try files.obedient()
        try worker.ask(.open)
        let digest = try worker.ask(.read)
        let code = UInt64(BullaError.Code.usedAfterFork.number)
        #expect(try worker.ask(.fork) == code * 100 + code)
        #expect(try worker.ask(.read) == digest)
        try worker.ask(.close)
        try worker.stop()
        #expect(!pool.memory.holdsAnything)
    }

    @Test func `keep plaintext out of what core dumps would hold`() throws {
        let pool = try PoolOwner(byteCount: 64 << 20)
        let leaver = try Leaver(.gcm, pool: pool)
        let isShared = leaver.memory.mappings.contains { $0.path.contains("memfd:bulla-pages") }
        #expect(isShared)
        #expect(try leaver.found(leaver.memory) != [])
        #expect(try leaver.found(leaver.memory, dumped: true) == [])
        try leaver.close()
        let memory = try ProcessMemory(leaver.worker.child.number)
        #expect(try leaver.found(memory) == [])
        #expect(!memory.mappings.contains { $0.path.contains("memfd:bulla-pages") })
        #expect(!pool.memory.holdsAnything)
        _ = try leaver.worker.kill()
    }
}
