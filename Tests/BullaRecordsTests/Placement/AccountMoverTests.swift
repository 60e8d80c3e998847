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
    func stopped(seed: UInt64) throws {
        var (stepCount, hasArrived) = (0, false)
        var refused = 0
        // Each round stops one step later, and moves an account of its own.
        while !hasArrived {
            let client = try MovedClient(sites.placed, seed: seed &* 1_000 &+ UInt64(stepCount))
            sites.note(client.time)
            let database = client.database
            hasArrived = try sites.move(database, to: "site2", stepCount: stepCount) { _ in
                self.use(client, count: 1)
            }
            try sites.expectOneHome(of: database)
            for _ in 0..<8 { try client.act() }
            let isDone = try sites.move(database, to: "site2") { _ in
                self.use(client, count: 2)
            }
            #expect(isDone)
            for _ in 0..<8 { try client.act() }
            try client.expectEqual()
            try sites.expectSettled(database, at: "site2")
            refused += client.refusedCount
            stepCount += 1
        }
        #expect(stepCount > 20 && refused > 0)
    }

    /// Lets a client make changes within the step of a mover.
    private func use(_ client: MovedClient, count: Int) {
        do {
            for _ in 0..<count { try client.act() }
            try sites.expectOneHome(of: client.database)
        } catch { Issue.record(error) }
    }

    @Test(
        "answers as if it had never moved, whatever is asked of it",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 10)))
    func alike(seed: UInt64) throws {
        let memory = MemoryBackend()
        var model = BackendModel(memory, seed: seed, hasAccounts: false)
        var random = TestRandom(seed: seed &+ 1)
        var (target, moveCount) = (0, 0)
        for number in 0..<TestMode.pick(short: 1_500, long: 10_000) {
            if random.isOne(in: 3) {
                if try advance(to: target, random.below(80)) {
                    moveCount += 1
                    target = (target + 1) % 3
                }
            }
            let step = model.next()
            let expected = step.answer(of: memory)
            var answer = step.answer(of: sites.placed)
            var triesLeft = 1_000
            while answer == .failed(.unavailable), triesLeft > 0 {
                _ = try advance(to: target, random.below(80))
                answer = step.answer(of: sites.placed)
                triesLeft -= 1
            }
            // An asset that waits for its record can be at two sites while it moves.
            guard answer == expected || step.description == "free orphans" else {
                Issue.record(
                    "step \(number), \(step): \(answer), not \(expected); \(TestMode.replay(seed))")
                return
            }
            model.learn(answer)
        }
        #expect(moveCount > 3)
    }

    private func advance(to target: Int, _ stepCount: Int) throws -> Bool {
        try sites.move(
            BackendBench.public, to: PlacedSites.name(target), stepCount: stepCount)
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
            if step == .restart { restarts.add(1, ordering: .relaxed) }
            guard step == .fence, !hasChanged.exchange(true, ordering: .relaxed) else { return }
            let moved = ReindexedRecord("r", entry.tag, indexes: [place])
            try sites.placed.reindex([moved], in: zone)
        }
        #expect(isDone && restarts.load(ordering: .relaxed) == 1)
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

    @Test("finds its mover's map again after a restart, and old maps are refused once")
    func oldMaps() throws {
        let client = try MovedClient(sites.placed, seed: 6)
        // A gateway that knows the map as it is now.
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
        // An older entry, as from a backup of the first site; its version is sealed with it.
        let store = room.store(0)
        try store.write { change in
            let tree = try change.tree(named: "documents")
            try change.put(
                DocumentRow.bytes(before), forKey: Self.key(name, database.place), in: tree)
        }
        let gateway = try PlacedSites(sites.names.map { try sites.placed.site($0) })
        #expect(try gateway.placed.zones(in: database) == sites.placed.zones(in: database))
        #expect(try !gateway.placed.zones(in: database).isEmpty)
        try store.write { change in
            try change.delete(
                Self.key(name, database.place), in: try change.tree(named: "documents"))
        }
        let other = try PlacedSites(sites.names.map { try sites.placed.site($0) })
        #expect(try other.placed.create(client.newZone("anew")))
        #expect(try other.placed.entry(of: database)?.home == "site2")
        try other.expectOneHome(of: database)
    }

    /// The key of a document of a place: its container after its byte count, its environment, and
    /// the document's name.
    private static func key(_ name: String, _ place: Place) -> [UInt8] {
        [0, UInt8(place.container.utf8.count)] + Array(place.container.utf8)
            + [place.environment.rawValue] + Array(name.utf8)
    }
}
