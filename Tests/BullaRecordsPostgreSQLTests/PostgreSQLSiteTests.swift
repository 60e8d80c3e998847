#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("Two databases as sites", .cluster)
struct PostgreSQLSiteTests {
    @Test("do what every site must", arguments: SiteCheck.all)
    func conforms(check: SiteCheck) throws {
        let cluster = try PostgreSQLCluster.present
        try check.run(
            PostgreSQLBackend(cluster.newDatabase()), PostgreSQLBackend(cluster.newDatabase()))
    }

    @Test("delete what has moved piece by piece, and go on after a failure")
    func pieces() throws {
        let cluster = try PostgreSQLCluster.present
        let address = try cluster.newDatabase()
        var bench = BackendBench(try PostgreSQLBackend(address))
        let database = bench.database()
        let zone = try bench.zone("zone", in: database)
        var assets: [RandomIdentifier] = []
        for number in 0..<30 {
            let asset = bench.identifier()
            try bench.backend.put([[1]], from: 0, of: asset, in: database, time: bench.time)
            if number < 20 {
                try bench.save("r\(number)", bench.entry(assets: [asset]), in: zone)
            }
            assets.append(asset)
        }
        let commitCount = Atomic(0)
        let relay = try LossyRelay(to: cluster) {
            // The first piece deletes some records; the commit of the second piece is lost.
            commitCount.add(1, ordering: .relaxed).newValue == 2 ? .commit : .none
        }
        let site = try PostgreSQLBackend(relay.address(address.database), patience: .zero)
        let emptied = HomeRow(2, .emptied)
        let known = try PostgreSQLBackend(address)
        #expect(try known.moves.replaceHome(of: database, nil, with: emptied))
        commitCount.store(0, ordering: .relaxed)
        let remover = site.claiming(HomeClaim(.remover, 2))
        #expect(throws: RecordError.self) { try remover.delete(zone) }
        let head = try #require(try remover.zones(in: database).first)
        #expect(head.version == UInt64(Int64.max))
        let left = try assets.filter {
            try remover.moves.holderCount(of: $0, in: database) == 1
        }
        #expect(!left.isEmpty && left.count < 20)
        #expect(try remover.delete(zone))
        let count = commitCount.load(ordering: .relaxed)
        #expect(try remover.zones(in: database).isEmpty && count > 5)
        try remover.moves.clear([], of: database)
        #expect(commitCount.load(ordering: .relaxed) > count + 2)
        for asset in assets {
            #expect(try remover.moves.holderCount(of: asset, in: database) == nil)
        }
    }

    @Test("delete a zone of many pages at once, and nothing of another zone")
    func large() throws {
        let cluster = try PostgreSQLCluster.present
        let address = try cluster.newDatabase()
        let commitCount = Atomic(0)
        let relay = try LossyRelay(to: cluster) {
            commitCount.add(1, ordering: .relaxed)
            return .none
        }
        let site = try PostgreSQLBackend(relay.address(address.database))
        var bench = BackendBench(site)
        let database = bench.database()
        let zone = try bench.zone("large", in: database)
        let other = try bench.zone("other", in: database)
        var (assets, changes): ([RandomIdentifier], [BackendBatch.Change]) = ([], [])
        for number in 0..<2_100 {
            var held: Set<RandomIdentifier> = []
            if number % 105 == 0 {
                let asset = bench.identifier()
                try site.put([[1]], from: 0, of: asset, in: database, time: bench.time)
                assets.append(asset)
                held = [asset]
            }
            let entry = bench.entry(
                indexes: [[1, UInt8(number % 200)]],
                references: [ReferenceEdge(target: "r0", .deleteSelf)], assets: held)
            changes.append(.init("r\(number)", expected: .nothing, entry: entry))
        }
        try bench.commit(changes, in: zone)
        try bench.save("kept", bench.entry(assets: [assets[0]]), in: other)
        // Far more batches than fit in a page; each pair of them has the same first change.
        try cluster.run(
            """
            INSERT INTO bulla_batches SELECT incarnation, decode(md5(n::TEXT), 'hex'), n / 2, 0
            FROM bulla_zones, generate_series(1, 2500) AS n WHERE name = 'large'
            """, in: address.database)
        commitCount.store(0, ordering: .relaxed)
        #expect(try site.delete(zone))
        #expect(commitCount.load(ordering: .relaxed) == 1)
        #expect(try !site.delete(zone))
        for table in ["records", "places", "edges", "batches"] {
            try cluster.run(
                """
                DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM bulla_\(table)
                    WHERE incarnation NOT IN (SELECT incarnation FROM bulla_zones)); END $$
                """, in: address.database)
        }
        let holders = try assets.map { try site.moves.holderCount(of: $0, in: database) }
        #expect(holders.count == 20 && holders[0] == 1)
        #expect(holders.dropFirst().allSatisfy { $0 == nil })
        #expect(try bench.feed(of: other).map(\.name) == ["kept"])
    }

    @Test("copy a zone anew of which a part was deleted")
    func outdated() throws {
        let cluster = try PostgreSQLCluster.present
        let addresses = try (0..<2).map { _ in try cluster.newDatabase() }
        let sites = try PlacedSites(try addresses.map { try PostgreSQLBackend($0) })
        var bench = BackendBench(sites.placed)
        let zone = try bench.zone("zone", in: bench.database())
        for name in ["a", "b", "c"] { try bench.save(name, in: zone) }
        #expect(
            try !sites.move(zone.database, to: "site0") { step throws(RecordError) in
                if step == .fence { throw PlacedSites.stop }
            })
        for statement in [
            "DELETE FROM bulla_records WHERE name = 'a'",
            "UPDATE bulla_zones SET version = \(Int64.max)",
        ] { try cluster.run(statement, in: addresses[0].database) }
        #expect(try sites.move(zone.database, to: "site0"))
        let found = try sites.placed.changes(in: zone, after: 0, limit: 9)
        #expect(found?.changes.map(\.name) == ["a", "b", "c"])
        #expect(found?.headVersion == 3)
    }
}
#endif
