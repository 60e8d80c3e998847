package import BullaRecords
import Testing

/// Checks one thing that a backend must do to serve as one of several sites.
///
/// The tests of each kind of backend run every check in ``all``, each on two empty sites.
package struct SiteCheck: Sendable, CustomStringConvertible {
    package let description: String
    package let run: Run

    package typealias Run =
        @Sendable (_ site: any SiteBackend, _ other: any SiteBackend) throws -> Void

    private init(_ description: String, _ run: @escaping Run) {
        (self.description, self.run) = (description, run)
    }

    package static let all = [
        SiteCheck("a page has the batches of its own changes", pages),
        SiteCheck("a zone never begins with the life of another one", lives),
        SiteCheck("chunks that were uploaded for another database are left alone", uploads),
        SiteCheck("an asset that another database's record holds gains no holder", held),
        SiteCheck("changes without a claim write no row of a home", rows),
        SiteCheck("all rows of homes are found, and a malformed one hides no other", homes),
    ]

    private static func pages(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var bench = BackendBench(site)
        let zone = try bench.zone("zone", in: bench.database())
        var batches: [BackendBatch] = []
        for name in ["a", "b", "a", "c"] {
            let change = BackendBatch.Change(name, expected: .anything, entry: bench.entry())
            batches.append(bench.batch([change], in: zone))
        }
        for batch in batches { _ = try site.commit(batch) }
        let empty = bench.batch([], in: zone)
        #expect(try site.commit(empty) == .committed(first: 5))
        var (start, firsts): (UInt64, [[UInt64]]) = (0, [])
        while start < 4 {
            let page = try #require(try site.moves.page(of: zone, after: start, limit: 1))
            #expect(page.isValid(for: zone, after: start, limit: 1))
            #expect(page.records.count == 1)
            #expect(try other.moves.take(page))
            firsts.append(page.batches.map(\.first))
            start = page.end
        }
        // Change 3 has replaced change 1 in the record "a". So change 1 has no page of its own, and
        // its batch is in the page of change 2.
        #expect(firsts == [[1, 2], [3], [4]])
        for (index, batch) in batches.enumerated() {
            let outcome = try other.outcome(of: batch.identifier, in: zone)
            #expect(outcome == UInt64(index) + 1)
        }
        #expect(try other.zone(named: "zone", in: zone.database)?.version == 4)
        #expect(try other.outcome(of: empty.identifier, in: zone) == nil)
        #expect(try other.delete(zone))
        #expect(try other.moves.take(page(of: zone, at: site)))
    }

    private static func page(of zone: ZoneLife, at site: any SiteBackend) throws -> ZonePage {
        try #require(try site.moves.page(of: zone, after: 0, limit: 64))
    }

    private static func lives(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var bench = BackendBench(other)
        for recordCount in [0, 1] {
            let victim = try bench.zone("victim \(recordCount)", in: bench.database())
            for _ in 0..<recordCount { try bench.save("record", in: victim) }
            let before = try other.zone(named: victim.name, in: victim.database)
            // The site has another account's zone, which claims to be the victim's life.
            let forged = StoredZone(
                bench.database(), name: "forged", incarnation: victim.incarnation, epoch: 1,
                keys: [])
            #expect(try site.create(forged))
            let error = #expect(throws: RecordError.self) {
                try other.moves.take(page(of: ZoneLife(forged), at: site))
            }
            #expect(error?.code != .unavailable)
            #expect(throws: RecordError.self) { try other.create(forged) }
            #expect(try other.zones(in: forged.database).isEmpty)
            #expect(try other.zone(named: victim.name, in: victim.database) == before)
            #expect(try bench.record("record", in: victim) != nil || recordCount == 0)
        }
    }

    private static func uploads(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var bench = BackendBench(site)
        let (one, victim) = (bench.database(), bench.database())
        let asset = bench.identifier()
        try other.put([[1]], from: 0, of: asset, in: victim, time: bench.time)
        #expect(throws: RecordError.self) {
            try other.put([[2], [2]], from: 0, of: asset, in: one, time: bench.time)
        }
        try other.moves.free(asset, in: one)
        let zone = try bench.zone("zone", in: one)
        try site.put([[2]], from: 0, of: asset, in: one, time: bench.time)
        try bench.save("record", bench.entry(assets: [asset]), in: zone)
        #expect(throws: RecordError.self) { try other.moves.take(page(of: zone, at: site)) }
        #expect(try other.chunk(0, of: asset, in: victim) == [1])
        #expect(try other.moves.uploads(in: victim).map(\.asset) == [asset])
        try other.moves.free(asset, in: victim)
        try other.put([[2]], from: 0, of: asset, in: one, time: bench.time)
        #expect(try other.moves.take(page(of: zone, at: site)))
        #expect(try other.moves.holderCount(of: asset, in: one) == 1)
    }

    private static func held(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var (bench, liar) = (BackendBench(other), BackendBench(site, seed: 2))
        let victim = try bench.zone("zone", in: bench.database())
        let asset = bench.identifier()
        try other.put([[1]], from: 0, of: asset, in: victim.database, time: bench.time)
        try bench.save("record", bench.entry(assets: [asset]), in: victim)
        let zone = try liar.zone("zone", in: liar.database())
        try site.put([[2]], from: 0, of: asset, in: zone.database, time: liar.time)
        try liar.save("record", liar.entry(assets: [asset]), in: zone)
        let error = #expect(throws: RecordError.self) {
            try other.moves.holderCount(of: asset, in: zone.database)
        }
        #expect(error?.code == .damaged)
        #expect(throws: RecordError.self) { try other.moves.take(page(of: zone, at: site)) }
        #expect(try other.zones(in: zone.database).isEmpty)
        #expect(try other.moves.holderCount(of: asset, in: victim.database) == 1)
        try bench.delete("record", in: victim)
        #expect(try other.chunk(0, of: asset, in: victim.database) == nil)
    }

    private static func rows(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var bench = BackendBench(site)
        let database = bench.database()
        let zone = try bench.zone("zone", in: database)
        try bench.save("record", in: zone)
        try site.put([[1]], from: 0, of: bench.identifier(), in: database, time: bench.time)
        #expect(
            try site.replace(
                "keys", of: database.place, for: database.owner, version: 0, with: [1]))
        #expect(try site.moves.home(of: database) == nil)
        #expect(try site.zones(of: database.place).count == 1)
    }

    private static func homes(_ site: any SiteBackend, _ other: any SiteBackend) throws {
        var bench = BackendBench(site)
        var rows: [Database: HomeRow?] = [:]
        for state in HomeRow.State.allCases {
            let (database, row) = (bench.database(), HomeRow(3, state))
            #expect(try site.moves.replaceHome(of: database, nil, with: row))
            rows.updateValue(row, forKey: database)
        }
        let zone = try bench.zone("zone", in: bench.database())
        // No attempt can have this number, so the row is malformed.
        let malformed = HomeRow(3, .here, attempt: .max)
        #expect(try site.moves.replaceHome(of: zone.database, nil, with: malformed))
        rows.updateValue(nil, forKey: zone.database)
        let found = try site.moves.homes(of: BackendBench.place)
        #expect(found == rows)
        #expect(throws: RecordError.self) { try site.moves.home(of: zone.database) }
        #expect(try site.zones(of: BackendBench.place).map { ZoneLife($0) } == [zone])
        let elsewhere = Place(BackendBench.place.container, .production)
        #expect(try site.moves.homes(of: elsewhere).isEmpty)
    }
}
