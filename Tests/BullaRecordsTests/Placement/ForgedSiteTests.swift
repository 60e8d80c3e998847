import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A site that lies about what it has, or does not answer")
struct ForgedSiteTests {
    private let room: PlacedRoom
    private let sites: PlacedSites

    init() throws {
        room = try PlacedRoom(siteCount: 3)
        sites = room.sites
    }

    private func zone(_ seed: UInt64) throws -> ZoneLife {
        var bench = BackendBench(sites.placed, seed: seed)
        let zone = try bench.zone("zone", in: bench.database())
        for number in 0..<5 { try bench.save("record \(number)", in: zone) }
        return zone
    }

    /// The page, with the given parts in place of its own.
    private static func forged(
        _ page: ZonePage, head: StoredZone? = nil, start: UInt64? = nil, end: UInt64? = nil,
        records: [ZonePage.Row]? = nil, batches: [ZonePage.Batch] = []
    ) -> ZonePage {
        ZonePage(
            head ?? page.head, page.timeline, forgottenVersion: page.forgottenVersion,
            after: start ?? page.start, upTo: end ?? page.end, records ?? page.records, batches)
    }

    private static func forgeries(_ page: ZonePage) throws -> [(String, ZonePage)] {
        var bench = BackendBench(MemoryBackend(), seed: 50)
        let others = [
            bench.newZone("zone", in: page.head.database), bench.newZone("other"),
            StoredZone(
                bench.database(), name: page.head.name, incarnation: page.head.incarnation,
                version: page.head.version, epoch: 1, keys: []),
        ]
        let row = page.records[0]
        func renamed(_ name: String, version: UInt64? = nil) -> [ZonePage.Row] {
            [ZonePage.Row(name, version: version ?? row.version, row.content)]
                + page.records.dropFirst()
        }
        var late = page.head
        late.version -= 1
        let entry = bench.entry(.int64(1), name: "record 9")
        return others.map { ("another zone", forged(page, head: $0)) } + [
            ("an older head", forged(page, head: late)),
            ("another start", forged(page, start: 1)),
            ("an end beyond the head", forged(page, end: .max)),
            ("no name", forged(page, records: renamed(""))),
            ("a zero byte", forged(page, records: renamed("a\0b"))),
            ("a long name", forged(page, records: renamed(String(repeating: "n", count: 256)))),
            ("a name twice", forged(page, records: renamed(page.records[1].name))),
            ("version 0", forged(page, records: renamed(row.name, version: 0))),
            ("a late version", forged(page, records: renamed(row.name, version: 99))),
            ("no order", forged(page, records: page.records.reversed())),
            ("too many", forged(page, records: page.records + page.records)),
            ("no progress", forged(page, end: 0, records: [])),
            ("a record after its end", forged(page, end: 4)),
            (
                "another record's place",
                forged(page, records: [ZonePage.Row(row.name, version: 1, .entry(entry))])
            ),
            ("a batch before all", forged(page, batches: [(try .new(), 0, 0)])),
            ("a batch twice", forged(page, batches: [(try .new(), 1, 0), (try .new(), 1, 0)])),
            ("a batch after all", forged(page, batches: [(try .new(), 99, 0)])),
        ]
    }

    @Test("cannot have anything but the zone's next records copied")
    func pages() throws {
        let zone = try zone(51)
        let claimed = try sites.placed.site("site1").claiming(HomeClaim(.client, 1))
        let page = try #require(
            try claimed.moves.page(of: zone, after: 0, limit: 64))
        #expect(page.isValid(for: zone, after: 0, limit: 64))
        for (what, forgery) in try Self.forgeries(page) {
            #expect(!forgery.isValid(for: zone, after: 0, limit: 64), "\(what)")
            room.hooks[1].forge { _ in forgery }
            let error = #expect(throws: RecordError.self, "\(what)") {
                try sites.mover().move(zone.database, to: "site2")
            }
            #expect(error?.code == .damaged, "\(what)")
        }
        room.hooks[1].forge { $0 }
        #expect(try sites.move(zone.database, to: "site2"))
        let found = try sites.placed.changes(in: zone, after: 0, limit: 9)
        #expect(found?.changes.map(\.name) == page.records.map(\.name))
    }

    @Test("cannot keep a mover busy for ever")
    func endless() throws {
        let zone = try zone(52)
        // Each page says that deletions were forgotten up to a version that the zone never had.
        room.hooks[1].forge { page in
            ZonePage(
                page.head, page.timeline, forgottenVersion: .max, after: page.start,
                upTo: page.start < page.head.version ? page.start + 1 : nil,
                Array(page.records.prefix(1)), [])
        }
        let error = #expect(throws: RecordError.self) {
            try sites.mover().move(zone.database, to: "site2")
        }
        #expect(error?.code == .unavailable && error?.hasMoved == false)
    }

    @Test("cannot have more bytes of an asset copied than an asset can have")
    func endlessAsset() throws {
        var bench = BackendBench(sites.placed, seed: 59)
        let zone = try bench.zone("zone", in: bench.database())
        let asset = bench.identifier()
        let (limit, time) = (UInt64(3 << 20), bench.time)
        let chunks = (0...5).map { _ in [UInt8](repeating: 7, count: 9) }
        try sites.placed.put(chunks, from: 0, of: asset, in: zone.database, time: time)
        try bench.save("record", bench.entry(assets: [asset]), in: zone)
        let mover = AccountMover(sites.placed, clock: { time }, assetByteLimit: limit)
        let error = #expect(throws: RecordError.self) {
            try mover.move(zone.database, to: "site2")
        }
        #expect(error?.code == .limitExceeded)
        #expect(try sites.move(zone.database, to: "site2"))
    }

    @Test("cannot have a chunk copied that is longer than a chunk can be")
    func longChunk() throws {
        var bench = BackendBench(sites.placed, seed: 60)
        let zone = try bench.zone("zone", in: bench.database())
        let asset = bench.identifier()
        let chunk = [UInt8](repeating: 7, count: 2 << 20)
        try sites.placed.put([chunk], from: 0, of: asset, in: zone.database, time: bench.time)
        try bench.save("record", bench.entry(assets: [asset]), in: zone)
        let error = #expect(throws: RecordError.self) {
            try sites.mover().move(zone.database, to: "site2")
        }
        #expect(error?.code == .damaged)
        #expect(try sites.placed.entry(of: zone.database)?.home == "site1")
    }

    @Test("cannot have files of another account kept, by naming them as an account's own")
    func pinned() throws {
        var bench = BackendBench(sites.placed, seed: 61)
        let victim = try bench.zone("zone", in: bench.database())
        let asset = bench.identifier()
        #expect(try sites.move(victim.database, to: "site2"))
        try sites.placed.put([[1]], from: 0, of: asset, in: victim.database, time: bench.time)
        try bench.save("record", bench.entry(assets: [asset]), in: victim)
        let zone = try bench.zone("zone", in: bench.database())
        try sites.placed.put([[2]], from: 0, of: asset, in: zone.database, time: bench.time)
        try bench.save("record", bench.entry(assets: [asset]), in: zone)
        let error = #expect(throws: RecordError.self) {
            try sites.mover().move(zone.database, to: "site2")
        }
        #expect(error?.code == .damaged)
        try bench.delete("record", in: victim)
        #expect(try sites.placed.chunk(0, of: asset, in: victim.database) == nil)
    }

    @Test("cannot have an account, or keep a mover busy for ever, if it keeps none of the pages")
    func forgetful() throws {
        let zone = try zone(58)
        var bench = room.bench()
        // Add enough records that the zone takes more than one page.
        for number in 0..<100 { try bench.save("more \(number)", in: zone) }
        room.hooks[2].keepPages(false)
        let error = #expect(throws: RecordError.self) {
            try sites.mover().move(zone.database, to: "site2")
        }
        #expect(error?.code == .damaged)
        try bench.save("last", in: zone)
        room.hooks[2].keepPages(true)
        #expect(try sites.move(zone.database, to: "site2"))
        let found = try sites.placed.changes(in: zone, after: 0, limit: 999)
        #expect(found?.changes.count == 106)
    }

    @Test("cannot claim accounts by a row for which the container's key does not vouch")
    func rows() throws {
        let zone = try zone(53)
        let before = try sites.placed.zones(in: zone.database)
        let liar = try sites.placed.site("site2")
        for generation in [1, 2, .max - 1] as [UInt64] {
            let row = HomeRow(generation, .here)
            let former = try liar.moves.home(of: zone.database)
            #expect(try liar.moves.replaceHome(of: zone.database, former, with: row))
            let other = try room.gateway()
            #expect(try other.placed.zones(in: zone.database) == before)
            #expect(try other.placed.entry(of: zone.database)?.home == "site1")
        }
        // Nor can the site claim accounts with a copy of another site's row.
        #expect(try sites.move(zone.database, to: "site0"))
        let row = try sites.placed.site("site0").moves.home(of: zone.database)
        let former = try liar.moves.home(of: zone.database)
        #expect(try liar.moves.replaceHome(of: zone.database, former, with: #require(row)))
        #expect(throws: RecordError.self) {
            try sites.placed.home(of: zone.database, at: "site2")
        }
        #expect(try room.gateway().placed.zones(in: zone.database) == before)
    }

    @Test("cannot claim accounts that are new, or that the first site has from before the map")
    func newcomers() throws {
        var bench = BackendBench(try sites.placed.site("site0"), seed: 58)
        let old = try bench.zone("old", in: bench.database())
        let new = bench.newZone("new", in: bench.database())
        let liar = try sites.placed.site("site2")
        for database in [old.database, new.database] {
            #expect(try liar.moves.replaceHome(of: database, nil, with: .first))
            #expect(try liar.create(bench.newZone("forged", in: database)))
        }
        let placed = try room.gateway().placed
        #expect(try placed.zones(in: old.database).map(\.name) == ["old"])
        #expect(try placed.create(new))
        #expect(try placed.zones(in: new.database).map(\.name) == ["new"])
        #expect(try placed.entry(of: old.database)?.home == "site0")
        #expect(try placed.entry(of: new.database)?.home == "site1")
    }

    @Test("cannot keep a caller busy by refusing what it asks for", arguments: [0, Int.max])
    func refusals(callerLimit: Int) throws {
        let zone = try zone(60)
        let placed = try room.gateway(callerLimit: callerLimit).placed
        #expect(try placed.zones(in: zone.database).count == 1)
        room.hooks[1].keepRows(false)
        let callCount = Atomic(0)
        let searchCount = Atomic(0)
        room.hooks[1].fail { call throws(RecordError) in
            guard call == "zones" else { return }
            callCount.add(1, ordering: .relaxed)
            throw .moved("it has moved")
        }
        room.hooks[0].fail { call throws(RecordError) in
            if call == "home" { searchCount.add(1, ordering: .relaxed) }
        }
        let error = #expect(throws: RecordError.self) { try placed.zones(in: zone.database) }
        #expect(error?.hasMoved == true)
        // If no callers may wait, this one gives up at once.
        #expect(callCount.load(ordering: .relaxed) == (callerLimit == 0 ? 1 : 3))
        #expect(searchCount.load(ordering: .relaxed) == 1)
    }

    @Test("does not disturb accounts of other sites when it is dead")
    func dead() throws {
        let (one, other) = (try zone(54), try zone(55))
        #expect(try sites.move(other.database, to: "site2"))
        #expect(
            try sites.placed.replace("key mark", of: one.database.place, version: 0, with: [1]))
        _ = try sites.placed.zones(of: one.database.place)
        room.hooks[2].die()
        let gateway = try room.gateway().placed
        let error = #expect(throws: RecordError.self) { try gateway.zones(in: other.database) }
        #expect(error?.code == .unavailable)
        #expect(try gateway.zones(in: one.database).count == 1)
        var bench = BackendBench(gateway, seed: 56)
        try bench.save("more", in: one)
        _ = try bench.zone("new", in: bench.database())
        let commit = try #require(try gateway.waitForCommit(after: 0, timeout: .zero))
        try bench.save("still more", in: one)
        #expect(try gateway.waitForCommit(after: commit, timeout: .seconds(60)) != nil)
        #expect(throws: RecordError.self) { try gateway.freeOrphans(before: .max) }
        let place = one.database.place
        #expect(
            try gateway.replace(PlaceDocument.schema, of: place, version: 0, with: [1, 2, 3]))
        #expect(try sites.placed.site("site1").document(PlaceDocument.schema, of: place) != nil)
        room.hooks[2].fail { _ in }
        #expect(try room.gateway().placed.zones(in: other.database).count == 1)
    }

    @Test("is not read by callers without a claim after an account has left")
    func claims() throws {
        let zone = try zone(57)
        #expect(try sites.move(zone.database, to: "site2"))
        let former = try sites.placed.site("site1")
        for call: () throws -> Void in [
            { _ = try former.zones(in: zone.database) },
            { _ = try former.changes(in: zone, after: 0, limit: 9) },
            { _ = try former.records(["record 0"], in: zone) },
            { _ = try former.timeline(of: zone.database) },
            { _ = try former.contents(of: zone) { _, _ throws(RecordError) in } },
            { try former.forgetDeletions(before: 0, in: zone) },
        ] {
            let error = #expect(throws: RecordError.self) { try call() }
            #expect(error?.hasMoved == true)
        }
    }
}
