import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A database that moves between sites")
struct AccountMoverTests {
    private let room: PlacedRoom
    private let sites: PlacedSites

    init() throws {
        room = try PlacedRoom(siteCount: 3)
        sites = room.sites
    }

    @Test(
        "has one home and all changes, wherever its mover is stopped and another goes on",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 5)))
    func stopped(seed: UInt64) throws { try StoppedMovers(sites).run(seed: seed) }

    @Test(
        "answers as if it had never moved, whatever is asked of it",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 10)))
    func alike(seed: UInt64) throws {
        var answers = MovedAnswers(sites, seed: seed)
        try answers.run(seed: seed, callCount: TestMode.pick(short: 1_500, long: 10_000))
    }

    @Test("is copied again after its index places have changed")
    func reindexed() throws {
        let client = try MovedClient(sites.placed, seed: 7)
        let database = client.database
        let place = IndexKey.place(.int64(77), of: "later", "Note", record: "r")
        var bench = BackendBench(sites.placed, seed: 8)
        let zone = try bench.zone("indexed", in: database)
        let entry = bench.entry()
        try bench.save("r", entry, in: zone)
        let hasChanged = Atomic(false)
        let restarts = Atomic(0)
        let isDone = try sites.move(database, to: "site2") { [sites] step throws(RecordError) in
            if step == .clear { restarts.add(1, ordering: .relaxed) }
            guard step == .fence, !hasChanged.exchange(true, ordering: .relaxed) else { return }
            let moved = ReindexedRecord("r", entry.tag, indexes: [place])
            try sites.placed.reindex([moved], in: zone)
        }
        #expect(isDone && restarts.load(ordering: .relaxed) == 2)
        #expect(try bench.scan(IndexKey.field("later", of: "Note"), in: zone) == ["r"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test("goes and comes back, and is never served from what an earlier stay has left")
    func returns() throws {
        let client = try MovedClient(sites.placed, seed: 3)
        for target in ["site0", "site1", "site2", "site1", "site0", "site0"] {
            sites.note(client.time)
            #expect(try sites.move(client.database, to: target))
            try sites.expectSettled(client.database, at: target)
            try client.expectEqual()
            for _ in 0..<20 { try client.act() }
            try client.expectEqual()
        }
        #expect(client.refusedCount == 0)
    }

    @Test("arrives although its mover died when it had no home, as soon as it is used")
    func orphaned() throws {
        let client = try MovedClient(sites.placed, seed: 4)
        sites.note(client.time)
        let hasEnded = try sites.move(client.database, to: "site2") { step throws(RecordError) in
            if step == .takeOver { throw PlacedSites.stop }
        }
        #expect(!hasEnded)
        let rows = try sites.names.map { try sites.placed.site($0).moves.home(of: client.database) }
        #expect(rows.allSatisfy { $0?.isHome != true })
        try client.act()
        #expect(client.refusedCount == 0)
        try client.expectEqual()
        try sites.mover().resume(client.database)
        try sites.expectSettled(client.database, at: "site2")
    }

    @Test("goes where it was sent first, until it is there")
    func contradicted() throws {
        let client = try MovedClient(sites.placed, seed: 5)
        #expect(try !sites.move(client.database, to: "site2", stepCount: 3))
        let error = #expect(throws: RecordError.self) {
            try sites.mover().move(client.database, to: "site0")
        }
        #expect(error?.code == .invalidArguments)
        #expect(throws: RecordError.self) {
            try sites.mover().move(client.database, to: "nowhere")
        }
        #expect(try sites.move(client.database, to: "site2"))
        #expect(try sites.move(client.database, to: "site0"))
    }

    @Test("is found by gateways that knew where it was before, and by those that start later")
    func oldMaps() throws {
        let client = try MovedClient(sites.placed, seed: 6)
        // A gateway that reads the map before the account moves.
        let old = try PlacedSites(
            sites.names.map { try sites.placed.site($0) }
        ).placed
        let before = try old.zones(in: client.database)
        #expect(try sites.move(client.database, to: "site2"))
        #expect(try old.zones(in: client.database) == before)
        var bench = BackendBench(old, seed: 9)
        try bench.save("late", in: ZoneLife(try #require(before.first)))
        try room.restart()
        let page = try room.sites.placed.changes(
            in: ZoneLife(try #require(before.first)), after: 0, limit: 9_999)
        #expect(page?.changes.last?.name == "late")
    }

    @Test("is found again by the rows of the sites if the map is lost, or older than a move")
    func lostMap() throws {
        let client = try MovedClient(sites.placed, seed: 12)
        let database = client.database
        let name = "home of \(database.owner?.identifier.text ?? "")"
        let first = try sites.placed.site("site0")
        let before = try #require(try first.document(name, of: database.place))
        #expect(try sites.move(database, to: "site2"))
        // Put the older entry back, as if from a backup of the first site, together with the
        // version that it was sealed with.
        let store = room.store(0)
        try store.write { change in
            let tree = try change.tree(named: "documents")
            let key = EmbeddedKey.document(name, database.place)
            try change.put(DocumentRow.bytes(before), forKey: key, in: tree)
        }
        let gateway = try PlacedSites(sites.names.map { try sites.placed.site($0) })
        #expect(try gateway.placed.zones(in: database) == sites.placed.zones(in: database))
        #expect(try !gateway.placed.zones(in: database).isEmpty)
        try store.write { change in
            try change.delete(
                EmbeddedKey.document(name, database.place),
                in: try change.tree(named: "documents"))
        }
        let other = try PlacedSites(sites.names.map { try sites.placed.site($0) })
        #expect(try other.placed.create(client.newZone("anew")))
        #expect(try other.placed.entry(of: database)?.home == "site2")
        try other.expectOneHome(of: database)
    }
}
