import BullaRecords
import Testing

extension ConformanceCheck {
    static let zones = [
        ConformanceCheck("a zone that was made is found by its name, as it was made") {
            bench throws in
            let zone = bench.newZone()
            #expect(try bench.backend.zone(named: zone.name, in: zone.database) == nil)
            #expect(try bench.backend.create(zone))
            #expect(try bench.backend.zone(named: zone.name, in: zone.database) == zone)
        },
        ConformanceCheck("zones are listed by their names' bytes, and by database") {
            bench throws in
            let (one, other) = (bench.database(), bench.database())
            let names = ["b", "a", "ab", "B", "_defaultZone", "a!", "~", "aa"]
            for name in names { _ = try bench.zone(name, in: one) }
            for name in ["x", "a"] { _ = try bench.zone(name, in: other) }
            _ = try bench.zone("p")
            let elsewhere = Database(Place(one.place.container, .production), owner: one.owner)
            _ = try bench.zone("e", in: elsewhere)
            #expect(
                try bench.backend.zones(in: one).map(\.name) == names.sorted { $0.precedes($1) })
            #expect(try bench.backend.zones(in: other).map(\.name) == ["a", "x"])
            #expect(try bench.backend.zones(in: BackendBench.public).map(\.name) == ["p"])
            #expect(try bench.backend.zones(in: elsewhere).map(\.name) == ["e"])
            #expect(try bench.backend.zones(in: bench.database()).isEmpty)
        },
        ConformanceCheck("containers whose names begin alike have zones of their own") {
            bench throws in
            let long = String(repeating: "c", count: 255)
            for container in ["c", "cc", "c\u{1}", long, long + "cc"] {
                let database = Database(Place(container, .development), owner: nil)
                #expect(try bench.backend.zones(in: database).isEmpty)
                _ = try bench.zone("zone of \(container)", in: database)
                #expect(
                    try bench.backend.zones(in: database).map(\.name) == ["zone of \(container)"])
            }
        },
        ConformanceCheck("a name is given once, and the first zone stays") { bench throws in
            let (first, second) = (bench.newZone(), bench.newZone())
            #expect(try bench.backend.create(first))
            #expect(try !bench.backend.create(second))
            #expect(try bench.backend.zone(named: first.name, in: first.database) == first)
        },
        ConformanceCheck("new keys go in where the former ones stand, and change nothing else") {
            bench throws in
            let zone = bench.newZone()
            #expect(try bench.backend.create(zone))
            try bench.save("record", in: ZoneLife(zone))
            var next = zone
            (next.epoch, next.keys, next.version) = (2, [1, 2, 3], 77)
            #expect(try !bench.rekey(next, from: zone.keys, epoch: 2))
            #expect(try !bench.rekey(next, from: [9], epoch: 1))
            #expect(try bench.rekey(next, from: zone.keys, epoch: 1))
            #expect(try !bench.rekey(next, from: zone.keys, epoch: 1))
            let present = try #require(
                try bench.backend.zone(named: zone.name, in: zone.database))
            (next.version, next.byteCount, next.seal) = (2, present.byteCount, present.seal)
            #expect(try bench.backend.zone(named: zone.name, in: zone.database) == next)
        },
        ConformanceCheck("a zone counts the bytes of its records and of their assets") {
            bench throws in
            let zone = try bench.zone()
            #expect(try bench.byteCount(of: zone) == 0)
            var (first, second) = (bench.entry(), bench.entry())
            (first.assetByteCount, second.assetByteCount) = (1_000, 1 << 40)
            try bench.commit([.init("a", expected: .nothing, entry: first)], in: zone)
            #expect(try bench.byteCount(of: zone) == first.byteCount)
            #expect(first.byteCount == UInt64(first.bytes.count) + 1_000)
            try bench.commit(
                [
                    .init("a", expected: .anything, entry: second),
                    .init("b", expected: .anything, entry: first),
                ], in: zone)
            #expect(try bench.byteCount(of: zone) == first.byteCount + second.byteCount)
            // A refused change is not counted.
            try bench.commit([.init("c", expected: .tag(bench.tag()), entry: first)], in: zone)
            try bench.commit([.init("a", expected: .anything, entry: nil)], in: zone)
            #expect(try bench.byteCount(of: zone) == first.byteCount)
            try bench.commit([.init("a", expected: .anything, entry: nil)], in: zone)
            try bench.commit([.init("b", expected: .anything, entry: nil)], in: zone)
            #expect(try bench.byteCount(of: zone) == 0)
        },
        ConformanceCheck("a zone that is not there gets no keys and is not deleted") {
            bench throws in
            let zone = bench.newZone()
            #expect(try !bench.rekey(zone, from: zone.keys, epoch: 1))
            #expect(try !bench.backend.delete(ZoneLife(zone)))
            #expect(try bench.backend.zones(in: zone.database).isEmpty)
        },
        ConformanceCheck("a zone's next life shows nothing of the former one", nextLife),
        ConformanceCheck("a former life takes nothing, and gives nothing", formerLife),
        ConformanceCheck("a zone that ends takes no other along") { bench throws in
            let zones = try ["a", "aa", "b"].map { try bench.zone($0) }
            for zone in zones { try bench.save("record", in: zone) }
            #expect(try bench.backend.delete(zones[0]))
            for zone in zones[1...] {
                #expect(try bench.record("record", in: zone) != nil)
                #expect(try bench.feed(of: zone).count == 1)
            }
        },
    ]

    private static func nextLife(_ bench: inout BackendBench) throws {
        let former = try bench.zone()
        let full = bench.entry(
            indexes: [[1]], references: [ReferenceEdge(target: "kept", .validate)])
        try bench.save("kept", full, in: former)
        try bench.delete("gone", in: former)
        try bench.backend.forgetDeletions(before: bench.time + 1, in: former)
        let batch = bench.batch(
            [.init("other", expected: .nothing, entry: bench.entry())], in: former)
        #expect(try bench.backend.commit(batch) == .committed(first: 3))
        #expect(try bench.backend.delete(former))
        #expect(try bench.backend.zone(named: former.name, in: former.database) == nil)
        let zone = try bench.zone()
        #expect(try bench.headVersion(of: zone) == 0)
        #expect(try bench.backend.records(["kept", "gone", "other"], in: zone) == [nil, nil, nil])
        #expect(
            try bench.backend.changes(in: zone, after: 0, limit: 9)
                == ChangePage([], headVersion: 0, forgottenVersion: 0, hasMore: false))
        #expect(try bench.scan(IndexRange([], upTo: [255]), in: zone).isEmpty)
        #expect(try bench.backend.referrers(of: "kept", .validate, in: zone, limit: 9).isEmpty)
        #expect(try bench.backend.outcome(of: batch.identifier, in: zone) == nil)
        #expect(try bench.save("kept", in: zone) == .committed(first: 1))
    }

    private static func formerLife(_ bench: inout BackendBench) throws {
        let former = try bench.zone()
        try bench.save("record", in: former)
        #expect(try bench.backend.delete(former))
        for isMadeAnew in [false, true] {
            if isMadeAnew { try bench.save("record", in: try bench.zone()) }
            #expect(try bench.save("record", in: former) == .noZone)
            #expect(try bench.record("record", in: former) == nil)
            #expect(try bench.backend.changes(in: former, after: 0, limit: 9) == nil)
            #expect(try bench.scan(IndexRange([], upTo: [255]), in: former).isEmpty)
            #expect(
                try bench.backend.referrers(of: "record", .none, in: former, limit: 9).isEmpty)
            #expect(try bench.backend.outcome(of: bench.identifier(), in: former) == nil)
            try bench.backend.forgetDeletions(before: .max, in: former)
            #expect(try !bench.backend.delete(former))
            let keys = StoredZone(
                former.database, name: former.name, incarnation: former.incarnation, epoch: 2,
                keys: [])
            #expect(try !bench.rekey(keys, from: [], epoch: 1))
        }
        #expect(try bench.backend.zones(in: former.database).map(\.version) == [1])
    }
}
