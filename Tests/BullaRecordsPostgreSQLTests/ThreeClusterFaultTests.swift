#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport
import Testing

/// These tests have clusters of their own: a cluster that was killed starts slowly if it has many
/// databases.
@Suite("Three clusters that are killed and restored", .threeClusters, .serialized)
struct ThreeClusterFaultTests {
    @Test("do not serve what has left a database that was restored", arguments: [false, true])
    func restored(isForked: Bool) throws {
        let room = try ClustersRoom()
        let place = BackendBench.place
        #expect(try room.sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        var bench = BackendBench(room.sites.placed, seed: 62)
        let zone = try bench.zone("zone", in: bench.database())
        try bench.save("old", in: zone)
        #expect(try room.sites.move(zone.database, to: "site0"))
        try room.backUp(0)
        #expect(try room.sites.move(zone.database, to: "site2"))
        try bench.save("new", in: zone)
        try room.restore(0, isForked: isForked)
        let gateway = try room.gateway()
        let former = try gateway.placed.home(of: zone.database, at: "site0")
        #expect(former?.isHome == true)
        let found = try gateway.placed.changes(in: zone, after: 0, limit: 9)
        #expect(found?.changes.map(\.name) == ["old", "new"])
        #expect(try gateway.placed.zones(of: place).count == 1)
        #expect(try gateway.move(zone.database, to: "site0"))
        try gateway.expectSettled(zone.database, at: "site0")
    }

    @Test("begin a copy anew if its source is restored, and bring nothing back that is deleted")
    func restoredSource() throws {
        let room = try ClustersRoom()
        var bench = BackendBench(room.sites.placed, seed: 63)
        let zone = try bench.zone("zone", in: bench.database())
        for name in ["stays", "goes"] { try bench.save(name, in: zone) }
        func stopAtFence(_ sites: PlacedSites) throws {
            #expect(
                try !sites.move(zone.database, to: "site2") { step throws(RecordError) in
                    if step == .fence { throw PlacedSites.stop }
                })
        }
        try stopAtFence(room.sites)
        try bench.delete("goes", in: zone)
        // This must not forget the deletion: the mover needs it.
        try bench.backend.forgetDeletions(before: .max, in: zone)
        try stopAtFence(room.sites)
        try room.backUp(1)
        try bench.save("lost", in: zone)
        try stopAtFence(room.sites)
        try room.restore(1, isForked: true)
        let gateway = try room.gateway()
        var later = BackendBench(gateway.placed, seed: 64)
        try later.save("other", in: zone)
        #expect(try gateway.move(zone.database, to: "site2"))
        let found = try gateway.placed.changes(in: zone, after: 0, limit: 9)
        #expect(found?.changes.map(\.name) == ["stays", "goes", "other"])
        #expect(found?.changes[1].record.bytes == nil && found?.forgottenVersion == 0)
        try gateway.expectSettled(zone.database, at: "site2")
        // A caller that knows of no other site is refused at the former home.
        let former = try gateway.placed.site("site1")
        for call: () throws -> Void in [
            { _ = try former.changes(in: zone, after: 0, limit: 9) },
            { _ = try former.zones(in: zone.database) },
            { _ = try former.timeline(of: zone.database) },
        ] {
            let error = #expect(throws: RecordError.self) { try call() }
            #expect(error?.hasMoved == true)
        }
    }

    @Test("serve the others while one is down, also processes that start then")
    func oneDown() throws {
        let room = try ClustersRoom()
        var bench = BackendBench(room.sites.placed, seed: 65)
        let place = BackendBench.place
        #expect(try room.sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        let one = try bench.zone("one", in: bench.database())
        let other = try bench.zone("other", in: bench.database())
        #expect(try room.sites.move(other.database, to: "site2"))
        try ThreeClusters.present[2].kill(9)
        let gateway = try room.gateway(sitePatience: .milliseconds(100))
        var later = BackendBench(gateway.placed, seed: 66)
        try later.save("r", in: one)
        _ = try later.zone("new", in: later.database())
        let error = #expect(throws: RecordError.self) {
            try gateway.placed.zones(in: other.database)
        }
        #expect(error?.code == .unavailable)
        try ThreeClusters.present[2].start()
        let again = try room.gateway()
        #expect(try again.placed.zones(in: other.database).count == 1)
    }

    @Test("converge under writers, followers and movers, while a server is killed")
    func storm() throws {
        let room = try ClustersRoom()
        let clusters = ThreeClusters.present
        let storm = try MoveStorm(
            seed: 11, batchCount: TestMode.pick(short: 100, long: 1_000)
        ) { try room.gateway(patience: .milliseconds(50)) }
        try storm.run(
            disturbances: clusters.map { cluster in
                { @Sendable in
                    try cluster.kill(9)
                    try cluster.start()
                }
            })
    }
}
#endif
