import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A mover that is late, or fails")
struct LateMoverTests {
    private let room: PlacedRoom
    private let sites: PlacedSites

    init() throws {
        room = try PlacedRoom(siteCount: 3)
        sites = room.sites
    }

    @Test(
        "changes nothing after another one has gone on with its move",
        arguments: AccountMover.Step.allCases)
    func late(step: AccountMover.Step) throws {
        try LateMover(sites, room.gateway(), before: step).run(seed: 31)
    }

    @Test(
        "finds no deletion forgotten since it began, and brings none back",
        arguments: [AccountMover.Step.fence, .giveUp])
    func forgotten(step: AccountMover.Step) throws {
        var bench = BackendBench(sites.placed, seed: 32)
        let zone = try bench.zone("zone", in: bench.database())
        for name in ["stays", "goes"] { try bench.save(name, in: zone) }
        #expect(
            try !sites.move(zone.database, to: "site2") { now throws(RecordError) in
                if now == .fence { throw PlacedSites.stop }
            })
        try bench.delete("goes", in: zone)
        func forget() throws -> UInt64? {
            try bench.backend.forgetDeletions(before: .max, in: zone)
            return try bench.backend.changes(in: zone, after: 0, limit: 9)?.forgottenVersion
        }
        #expect(
            try !sites.move(zone.database, to: "site2") { now throws(RecordError) in
                if now == step { throw PlacedSites.stop }
            })
        #expect(try forget() == 0)
        #expect(try sites.move(zone.database, to: "site2"))
        #expect(try bench.record("goes", in: zone)?.bytes == nil)
        #expect(try bench.record("stays", in: zone)?.bytes != nil)
        #expect(try forget() == 3)
    }

    @Test("copies uploads before the account can no longer be changed, and nothing twice")
    func uploads() throws {
        let (zone, _) = try zoneWithUpload(seed: 43)
        let target = room.store(2)
        let isFenced = Atomic(false)
        let calls = Mutex<[String]>([])
        for hooks in room.hooks {
            hooks.fail { call throws(RecordError) in
                guard isFenced.load(ordering: .relaxed) else { return }
                calls.withLock { $0.append(call) }
            }
        }
        let isDone = try sites.move(zone.database, to: "site2") { step throws(RecordError) in
            if step == .giveUp { isFenced.store(false, ordering: .relaxed) }
            guard step == .fence else { return }
            isFenced.store(true, ordering: .relaxed)
            #expect(Self.chunkCount(in: target, .published) == 2)
        }
        #expect(isDone)
        let found = Set(calls.withLock { $0 })
        #expect(found.contains("uploads"))
        #expect(found.isDisjoint(with: ["put", "free", "page", "take"]))
    }

    @Test("copies an upload as it is in the end, although its chunks were copied before")
    func changedUpload() throws {
        let (zone, asset) = try zoneWithUpload(seed: 44)
        let (placed, database) = (sites.placed, zone.database)
        func move(
            to target: String, putting chunks: [[UInt8]], from first: UInt32, time: Int64
        ) throws -> [[UInt8]?] {
            let isDone = try sites.move(database, to: target) { step throws(RecordError) in
                guard step == .fence else { return }
                try placed.put(chunks, from: first, of: asset, in: database, time: time)
            }
            #expect(isDone)
            return try (0..<4 as Range<UInt32>).map {
                try placed.chunk($0, of: asset, in: database)
            }
        }
        // First put one more chunk, with the same time as the others; then, with a later time, two
        // chunks in place of former ones.
        #expect(
            try move(to: "site2", putting: [[9]], from: 2, time: 1) == [[7], [8], [9], nil])
        #expect(
            try move(to: "site0", putting: [[6], [5]], from: 1, time: 2) == [[7], [6], [5], nil])
    }

    @Test("makes durable what the target has before the source gives it up")
    func durable() throws {
        let (zone, _) = try zoneWithUpload(seed: 45)
        let target = room.store(2)
        let isDone = try sites.move(zone.database, to: "site2") { step throws(RecordError) in
            guard step == .giveUp else { return }
            #expect(Self.chunkCount(in: target, .durable) == 2)
        }
        #expect(isDone)
    }

    /// A zone of a new account, and an asset of two chunks in that account, which no record holds
    /// yet.
    private func zoneWithUpload(
        seed: UInt64
    ) throws -> (zone: ZoneLife, asset: RandomIdentifier) {
        var bench = BackendBench(sites.placed, seed: seed)
        let zone = try bench.zone("zone", in: bench.database())
        try bench.save("r", in: zone)
        let asset = bench.identifier()
        try sites.placed.put([[7], [8]], from: 0, of: asset, in: zone.database, time: 1)
        return (zone, asset)
    }

    /// How many chunks a store has; `nil` if it cannot be read.
    private static func chunkCount(in store: Store, _ visibility: SnapshotVisibility) -> Int? {
        try? store.read(visibility: visibility) { snapshot in
            var count = 0
            try snapshot.scan(try snapshot.tree(named: "chunks")) { _, _ in
                count += 1
                return .next
            }
            return count
        }
    }

    @Test("copies everything again, with another number, when index places have changed twice")
    func reindexedTwice() throws {
        var bench = BackendBench(sites.placed, seed: 33)
        let zone = try bench.zone("zone", in: bench.database())
        let entry = bench.entry()
        try bench.save("r", entry, in: zone)
        let fences = Atomic(0)
        let clears = Atomic(0)
        let isDone = try sites.move(zone.database, to: "site2") { [sites] now throws(RecordError) in
            if now == .clear { clears.add(1, ordering: .relaxed) }
            guard now == .fence else { return }
            let number = fences.add(1, ordering: .relaxed).newValue
            guard number <= 2 else { return }
            let field = number == 1 ? "first" : "second"
            let place = IndexKey.place(.int64(1), of: field, "Note", record: "r")
            try sites.placed.reindex([ReindexedRecord("r", entry.tag, indexes: [place])], in: zone)
        }
        #expect(isDone && clears.load(ordering: .relaxed) == 3)
        #expect(try bench.scan(IndexKey.field("first", of: "Note"), in: zone).isEmpty)
        #expect(try bench.scan(IndexKey.field("second", of: "Note"), in: zone) == ["r"])
    }

    @Test("gives up, with an error, if index places change again and again")
    func endless() throws {
        var bench = BackendBench(sites.placed, seed: 34)
        let zone = try bench.zone("zone", in: bench.database())
        let entry = bench.entry()
        try bench.save("r", entry, in: zone)
        let error = #expect(throws: RecordError.self) {
            try sites.mover { [sites] now throws(RecordError) in
                guard now == .fence else { return }
                let moved = ReindexedRecord("r", entry.tag, indexes: entry.indexes)
                try sites.placed.reindex([moved], in: zone)
            }.move(zone.database, to: "site2")
        }
        #expect(error?.hasMoved == true)
        try bench.save("still", in: zone)
    }

    @Test("tries again if a site fails for a moment after the account can no longer be changed")
    func shortFailure() throws {
        let client = try MovedClient(sites.placed, seed: 35)
        sites.note(client.time)
        let isFenced = Atomic(false)
        let left = Atomic(3)
        room.hooks[2].fail { call throws(RecordError) in
            guard isFenced.load(ordering: .relaxed), call == "zones" else { return }
            guard left.subtract(1, ordering: .relaxed).oldValue > 0 else { return }
            throw RecordError(.unavailable, "the site is busy", retryAfter: 1)
        }
        let isDone = try sites.move(client.database, to: "site2") { step throws(RecordError) in
            if step == .fence { isFenced.store(true, ordering: .relaxed) }
        }
        #expect(isDone && left.load(ordering: .relaxed) <= 0)
        try client.expectEqual()
        try sites.expectSettled(client.database, at: "site2")
    }

    @Test(
        "lets the account be changed again if a site goes on failing",
        arguments: [RecordError.Code.unavailable, .internalError, .damaged])
    func longFailure(code: RecordError.Code) throws {
        let client = try MovedClient(sites.placed, seed: 36)
        sites.note(client.time)
        let isFenced = Atomic(false)
        room.hooks[2].fail { call throws(RecordError) in
            guard isFenced.load(ordering: .relaxed), call == "zones" else { return }
            throw RecordError(code, "the site is broken")
        }
        // A mover waits only after an error that may pass. After any other error, it must give up
        // at once, however much patience it has.
        let patience: Duration = code == .unavailable ? .zero : .seconds(600)
        let error = #expect(throws: RecordError.self) {
            try sites.mover(patience: patience) { step throws(RecordError) in
                if step == .fence { isFenced.store(true, ordering: .relaxed) }
            }.move(client.database, to: "site2")
        }
        #expect(error?.code == code)
        let refused = client.refusedCount
        for _ in 0..<20 { try client.act() }
        #expect(client.refusedCount == refused)
        room.hooks[2].fail { _ in }
        #expect(try sites.move(client.database, to: "site2"))
        try client.expectEqual()
    }

    @Test("lets the account be changed again if the rest of it takes too long")
    func slow() throws {
        var bench = room.bench()
        let zone = try bench.zone("zone", in: bench.database())
        let placed = sites.placed
        let entry = bench.entry()
        let batch = bench.batch([.init("late", expected: .anything, entry: entry)], in: zone)
        let error = #expect(throws: RecordError.self) {
            try sites.mover(patience: .zero) { step throws(RecordError) in
                if step == .fence { _ = try placed.commit(batch) }
            }.move(zone.database, to: "site2")
        }
        #expect(error?.code == .unavailable && error?.hasMoved == false)
        try bench.save("later", in: zone)
        #expect(try sites.move(zone.database, to: "site2"))
        let found = try placed.changes(in: zone, after: 0, limit: 9)
        #expect(found?.changes.map(\.name) == ["late", "later"])
    }

    @Test("does not end a move that was begun after its own one")
    func lateFinisher() throws {
        let client = try MovedClient(sites.placed, seed: 46)
        let database = client.database
        let other = try room.gateway()
        for gateway in [sites, other] { gateway.note(client.time) }
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .clean { throw PlacedSites.stop }
            })
        let hasMet = Atomic(false)
        let clears = Atomic(0)
        try sites.mover { step throws(RecordError) in
            if step == .clear { clears.add(1, ordering: .relaxed) }
            guard step == .clean, !hasMet.exchange(true, ordering: .relaxed) else { return }
            Self.goBack(database, other)
        }.resume(database)
        // The mover has continued the later move, and has not begun that move's copy anew.
        #expect(hasMet.load(ordering: .relaxed) && clears.load(ordering: .relaxed) == 0)
        try sites.expectSettled(database, at: "site1")
        try client.expectEqual()
    }

    /// Finishes a move, and begins the move back.
    private static func goBack(_ database: Database, _ sites: PlacedSites) {
        do {
            try sites.mover().resume(database)
            #expect(
                try !sites.move(database, to: "site1") { step throws(RecordError) in
                    if step == .fence { throw PlacedSites.stop }
                })
        } catch { Issue.record(error) }
    }

    @Test("lets the account be changed again if its target is dead when the move is resumed")
    func deadTarget() throws {
        let client = try MovedClient(sites.placed, seed: 37)
        sites.note(client.time)
        #expect(
            try !sites.move(client.database, to: "site2") { step throws(RecordError) in
                if step == .giveUp { throw PlacedSites.stop }
            })
        room.hooks[2].die()
        #expect(throws: RecordError.self) { try sites.mover().resume(client.database) }
        let refused = client.refusedCount
        for _ in 0..<20 { try client.act() }
        #expect(client.refusedCount == refused)
        #expect(throws: RecordError.self) { try sites.mover().cancel(client.database) }
        room.hooks[2].fail { _ in }
        try sites.mover().resume(client.database)
        try sites.expectSettled(client.database, at: "site1")
        try client.expectEqual()
    }

    @Test("can be told to let the account stay, until it has left")
    func cancelled() throws {
        var (stepCount, hasArrived, stays) = (1, false, 0)
        while !hasArrived {
            let client = try MovedClient(sites.placed, seed: 38 &+ UInt64(stepCount))
            let database = client.database
            sites.note(client.time)
            hasArrived = try sites.move(database, to: "site2", stepCount: stepCount)
            var isTooLate = false
            do throws(RecordError) { try sites.mover().cancel(database) } catch {
                guard error.code == .invalidArguments else { throw error }
                isTooLate = true
                try sites.mover().resume(database)
            }
            let home = try #require(try sites.placed.entry(of: database)).home
            #expect(home == (isTooLate ? "site2" : "site1"))
            #expect(isTooLate || !hasArrived)
            try sites.expectSettled(database, at: home)
            if home == "site1" { stays += 1 }
            for _ in 0..<5 { try client.act() }
            #expect(client.refusedCount == 0)
            try client.expectEqual()
            // The account can still move to that site, or to another one.
            for target in [stepCount % 2 == 0 ? "site2" : "site0", "site2"] {
                sites.note(client.time)
                #expect(try sites.move(database, to: target))
            }
            try client.expectEqual()
            stepCount += 1
        }
        #expect(stays > 5 && stays < stepCount)
    }

    @Test("cannot be told to let an account stay that does not move")
    func settled() throws {
        let client = try MovedClient(sites.placed, seed: 39)
        let error = #expect(throws: RecordError.self) {
            try sites.mover().cancel(client.database)
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("does not move an account to a site with records of another service")
    func strangers() throws {
        let place = BackendBench.place
        #expect(try sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        let stranger = try sites.placed.site("site2")
        #expect(try stranger.replace("key mark", of: place, version: 0, with: [2]))
        #expect(throws: RecordError.self) {
            try sites.mover().move(BackendBench.public, to: "site2")
        }
        let row = try stranger.moves.home(of: BackendBench.public)
        #expect(row == nil)
    }

    @Test("keeps assets that it brings ahead of their records from being freed as orphans")
    func orphans() throws {
        let client = try MovedClient(sites.placed, seed: 41)
        sites.note(client.time)
        let target = try sites.placed.site("site2")
        let isDone = try sites.move(client.database, to: "site2") { step throws(RecordError) in
            // Try to free orphans as if everything at the target were an hour old, and so old
            // enough.
            guard [.copy, .copyRest, .giveUp, .takeOver].contains(step) else { return }
            #expect(try target.freeOrphans(before: .max) == 0)
        }
        #expect(isDone)
        try client.expectEqual()
    }

    @Test("is refused with each of its steps as soon as another one has a number")
    func claims() throws {
        let client = try MovedClient(sites.placed, seed: 42)
        let database = client.database
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .fence { throw PlacedSites.stop }
            })
        let (source, sink) = (try sites.placed.site("site1"), try sites.placed.site("site2"))
        let rows = try (source.moves.home(of: database), sink.moves.home(of: database))
        let (row, arriving) = (try #require(rows.0), try #require(rows.1))
        #expect(row.attempt == arriving.attempt && row.copy == arriving.copy && row.copy != nil)
        for attempt in [row.attempt - 1, row.attempt + 1] {
            let sender = source.claiming(
                HomeClaim(.sender(attempt: attempt), row.generation))
            let receiver = sink.claiming(
                HomeClaim(.receiver(attempt: attempt), arriving.generation))
            for call: () throws -> Void in [
                { _ = try sender.zones(in: database) }, { _ = try receiver.zones(in: database) },
                { _ = try receiver.moves.uploads(in: database) },
            ] {
                let error = #expect(throws: RecordError.self) { try call() }
                #expect(error?.hasMoved == true)
            }
        }
        let sender = source.claiming(
            HomeClaim(.sender(attempt: row.attempt), row.generation))
        let zones = try sender.zones(in: database)
        #expect(throws: RecordError.self) { try sender.delete(ZoneLife(zones[0])) }
    }
}
