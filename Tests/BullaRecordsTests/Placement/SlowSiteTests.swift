import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Dispatch
import Synchronization
import Testing

@Suite("A site that is slow, dead, or busy with moves")
struct SlowSiteTests {
    private let room: PlacedRoom
    private var sites: PlacedSites { room.sites }
    private let place = BackendBench.place

    init() throws {
        room = try PlacedRoom(siteCount: 3)
        #expect(try sites.placed.replace("key mark", of: place, version: 0, with: [1]))
    }

    /// Makes an account at a site; in each of its zones, one record is saved and then deleted.
    private func account(at site: String, zones names: [String] = ["zone"]) throws -> [ZoneLife] {
        var bench = room.bench()
        let database = bench.database()
        let zones = try names.map { try bench.zone($0, in: database) }
        for zone in zones {
            try bench.save("record", in: zone)
            try bench.delete("record", in: zone)
        }
        #expect(try sites.move(database, to: site))
        return zones
    }

    /// Begins to move an account, and stops once it can only be read at its site.
    private func fence(_ database: Database) throws {
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .giveUp { throw PlacedSites.stop }
            })
    }

    @Test("keeps only a few of its callers waiting, and none of those of other sites")
    func gate() throws {
        let (slow, other) = (try account(at: "site2")[0], try account(at: "site1")[0])
        let placed = try room.gateway(callerLimit: 1).placed
        for zone in [slow, other] { #expect(try placed.zones(in: zone.database).count == 1) }
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let callCount = Atomic(0)
        room.hooks[2].fail { call throws(RecordError) in
            guard call == "zones" else { return }
            guard callCount.add(1, ordering: .relaxed).newValue == 1 else { return }
            hasBegun.signal()
            mayEnd.wait()
        }
        try Crew.run(2) { number in
            guard number == 1 else {
                let zones = try placed.zones(in: slow.database)
                return #expect(zones.count == 1)
            }
            hasBegun.wait()
            defer { mayEnd.signal() }
            let error = #expect(throws: RecordError.self) { try placed.zones(in: slow.database) }
            #expect(error?.code == .unavailable && error?.retryAfter != nil)
            #expect(try placed.zones(in: other.database).count == 1)
        }
        #expect(try placed.zones(in: slow.database).count == 1)
        #expect(callCount.load(ordering: .relaxed) == 2)
    }

    @Test("is not asked patiently after it has failed, until it answers")
    func impatience() throws {
        let zone = try account(at: "site2")[0]
        let placed = try room.gateway().placed
        #expect(try placed.zones(in: zone.database).count == 1)
        let failsOnce = Atomic(true)
        let count = Atomic(0)
        room.hooks[2].fail { call throws(RecordError) in
            if call == "impatient" { count.add(1, ordering: .relaxed) }
            guard call == "zones", failsOnce.exchange(false, ordering: .relaxed) else { return }
            throw RecordError(.unavailable, "the site is away", retryAfter: 1)
        }
        #expect(throws: RecordError.self) { try placed.zones(in: zone.database) }
        for _ in 0..<3 { #expect(try placed.zones(in: zone.database).count == 1) }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test("keeps only a few callers waiting for moves")
    func waiters() throws {
        let zone = try account(at: "site1")[0]
        try fence(zone.database)
        let placed = try room.gateway(patience: .milliseconds(50), callerLimit: 0).placed
        let count = Atomic(0)
        room.hooks[1].fail { call throws(RecordError) in
            if call == "rekey" { count.add(1, ordering: .relaxed) }
        }
        let head = try #require(try placed.zones(in: zone.database).first)
        let error = #expect(throws: RecordError.self) {
            try placed.rekey(
                head, from: head.keys, formerEpoch: head.epoch, sealing: BackendBench.sealing)
        }
        #expect(error?.hasMoved == true)
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test("keeps nobody from forgetting deletions at other sites, and of other accounts")
    func forgetting() throws {
        let fenced = try account(at: "site1", zones: ["one", "two", "three"])
        let others = [try account(at: "site0")[0], try account(at: "site1")[0]]
        let away = try account(at: "site2")[0]
        try fence(fenced[0].database)
        let placed = try room.gateway(patience: .seconds(3_600)).placed
        let count = Atomic(0)
        room.hooks[1].fail { call throws(RecordError) in
            if call == "forgetDeletions" { count.add(1, ordering: .relaxed) }
        }
        room.hooks[2].die()
        let error = #expect(throws: RecordError.self) {
            try placed.forgetDeletions(before: .max, of: place)
        }
        #expect(error?.code == .unavailable && error?.hasMoved == false)
        // One call is for the site's other account. Three calls are for the zones that the mover
        // copies; these calls change nothing.
        #expect(count.load(ordering: .relaxed) == 4)
        func forgotten(_ zone: ZoneLife) throws -> UInt64? {
            try placed.changes(in: zone, after: 0, limit: 1)?.forgottenVersion
        }
        for zone in others { #expect(try forgotten(zone) == 2) }
        for zone in fenced { #expect(try forgotten(zone) == 0) }
        room.hooks[2].fail { _ in }
        try placed.forgetDeletions(before: .max, of: place)
        let page = try room.gateway().placed.changes(in: away, after: 0, limit: 1)
        #expect(page?.forgottenVersion == 2)
    }

    @Test("lists each zone once while an account moves with each look at a site")
    func listing() throws {
        let moving = try account(at: "site1", zones: ["one", "two"])
        _ = try account(at: "site1", zones: ["three"])
        let (mover, placed) = (try room.gateway().mover(), sites.placed)
        let isMoving = Atomic(false)
        room.hooks[1].fail { call throws(RecordError) in
            guard call == "zones", !isMoving.exchange(true, ordering: .relaxed) else { return }
            defer { isMoving.store(false, ordering: .relaxed) }
            let isThere = try placed.entry(of: moving[0].database)?.home == "site1"
            try mover.move(moving[0].database, to: isThere ? "site2" : "site1")
        }
        for _ in 0..<3 {
            let zones = try room.gateway().placed.zones(of: place)
            #expect(zones.map(\.name).sorted() == ["one", "three", "two"])
        }
    }

    @Test("is not left out of a list, with what was about to come to it, after a restore")
    func homeless() throws {
        let zone = try account(at: "site1")[0]
        try room.rooms[2].backUp(as: "backup")
        #expect(
            try !sites.move(zone.database, to: "site2") { step throws(RecordError) in
                if step == .takeOver { throw PlacedSites.stop }
            })
        try room.restore(2)
        #expect(try sites.placed.zones(of: place).map { ZoneLife($0) } == [zone])
    }

    @Test("keeps only a few callers waiting if it has the map")
    func mapGate() throws {
        let zone = try account(at: "site1")[0]
        let placed = try room.gateway(callerLimit: 1).placed
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let callCount = Atomic(0)
        room.hooks[0].fail { call throws(RecordError) in
            guard call == "document" else { return }
            guard callCount.add(1, ordering: .relaxed).newValue == 1 else { return }
            hasBegun.signal()
            mayEnd.wait()
        }
        try Crew.run(2) { number in
            guard number == 1 else {
                let zones = try placed.zones(in: zone.database)
                return #expect(zones.count == 1)
            }
            hasBegun.wait()
            defer { mayEnd.signal() }
            let error = #expect(throws: RecordError.self) { try placed.zones(in: zone.database) }
            #expect(error?.code == .unavailable && error?.retryAfter != nil)
            #expect(callCount.load(ordering: .relaxed) == 1)
        }
    }

    /// Checks that a caller asks a site patiently, which means that the site is not taken for dead.
    private func expectPatience(_ placed: PlacedBackend, at site: Int, _ zone: ZoneLife) throws {
        let impatientCount = Atomic(0)
        room.hooks[site].fail { call throws(RecordError) in
            if call == "impatient" { impatientCount.add(1, ordering: .relaxed) }
        }
        #expect(try placed.zones(in: zone.database).count == 1)
        #expect(impatientCount.load(ordering: .relaxed) == 0)
    }

    @Test("is not blamed for the site with the map, if that one dies")
    func blame() throws {
        let zone = try account(at: "site2")[0]
        let placed = try room.gateway().placed
        // The map names the site, but the gateway can neither admit it nor give it the schema.
        room.hooks[2].fail { call throws(RecordError) in
            guard ["document", "take document"].contains(call) else { return }
            throw RecordError(.internalError, "\(call): it fails")
        }
        #expect(throws: RecordError.self) { try placed.zones(in: zone.database) }
        #expect(try placed.replace(PlaceDocument.schema, of: place, version: 0, with: [1]))
        room.hooks[2].fail { _ in }
        room.hooks[0].die()
        #expect(throws: RecordError.self) { try placed.zones(in: zone.database) }
        room.hooks[0].fail { _ in }
        try expectPatience(placed, at: 2, zone)
        var bench = room.bench()
        let change = BackendBatch.Change("late", expected: .anything, entry: bench.entry())
        let batch = bench.batch([change], in: zone, schema: 1)
        room.hooks[0].die()
        #expect(throws: RecordError.self) { try placed.commit(batch) }
        room.hooks[0].fail { _ in }
        try expectPatience(placed, at: 2, zone)
        #expect(try placed.commit(batch) == .committed(first: 3))
    }

    @Test("is not blamed for a reader who stops, or for a move while somebody reads")
    func reader() throws {
        let zone = try account(at: "site2")[0]
        var bench = room.bench()
        try bench.save("one", in: zone)
        let placed = try room.gateway(patience: .seconds(3_600)).placed
        #expect(try placed.zones(in: zone.database).count == 1)
        let stop = RecordError(.unavailable, "the reader is away", retryAfter: 1)
        let error = #expect(throws: RecordError.self) {
            try placed.contents(of: zone) { _, _ throws(RecordError) in throw stop }
        }
        #expect(error == stop)
        try expectPatience(placed, at: 2, zone)
        room.hooks[2].fail { call throws(RecordError) in
            if call == "contents end" { throw .moved("it moves") }
        }
        let count = Atomic(0)
        let moved = #expect(throws: RecordError.self) {
            try placed.contents(of: zone) { _, _ throws(RecordError) in
                count.add(1, ordering: .relaxed)
            }
        }
        #expect(moved?.code == .unavailable && moved?.hasMoved == false)
        #expect(count.load(ordering: .relaxed) == 1)
        try expectPatience(placed, at: 2, zone)
    }
}
