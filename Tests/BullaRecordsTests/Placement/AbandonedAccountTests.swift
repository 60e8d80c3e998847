import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("An account of which a site has lost everything")
struct AbandonedAccountTests {
    private let room: PlacedRoom
    private var sites: PlacedSites { room.sites }

    init() throws {
        room = try PlacedRoom.openedBefore()
    }

    private func repair(_ database: Database) -> HomeRepair { HomeRepair(sites.placed, database) }

    /// Checks that the account is empty, can be used again, and can move to and from each site.
    private func expectFresh(_ database: Database, at home: String) throws {
        #expect(try sites.placed.zones(in: database).isEmpty)
        var bench = room.bench()
        let zone = try bench.zone("zone", in: database)
        try bench.save("fresh", in: zone)
        try room.reconnect()
        for name in sites.names + [home] {
            #expect(try sites.move(database, to: name))
            #expect(try room.names(in: zone) == ["fresh"])
        }
        try sites.expectOneHome(of: database)
        try sites.expectSettled(database, at: home)
        #expect(throws: RecordError.self) { try repair(database).abandon() }
    }

    @Test("begins anew, empty, where it was or at another site", arguments: [nil, "site1"])
    func lost(target: String?) throws {
        try room.rooms[2].backUp(as: "backup")
        let (database, zone) = try room.account(at: "site2")
        #expect(throws: RecordError.self) { try repair(database).abandon() }
        try room.restore(2)
        let error = #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(error?.code == .damaged)
        #expect(error?.detail?.contains("placement abandon") == true)
        #expect(try sites.placed.adopt(database) == .lost)
        #expect(try repair(database).look() == .lost(home: "site2"))
        #expect(throws: RecordError.self) { try repair(database).abandon(at: "nowhere") }
        #expect(try repair(database).abandon(at: target) == .lost(home: "site2"))
        try expectFresh(database, at: target ?? "site2")
    }

    @Test("goes on with an earlier stay, and does not begin anew")
    func older() throws {
        let (database, zone) = try room.account(at: "site2")
        try room.rooms[2].backUp(as: "backup")
        for target in ["site1", "site2"] { #expect(try sites.move(database, to: target)) }
        try room.restore(2)
        #expect(try repair(database).look() == .older(home: "site2"))
        #expect(throws: RecordError.self) { try repair(database).abandon() }
        #expect(try sites.placed.adopt(database) == .adopted)
        #expect(try room.names(in: zone) == ["old"])
        #expect(try repair(database).look() == .none(home: "site2"))
    }

    @Test("is not complete at a site that was restored to a time in which it still arrived")
    func arriving() throws {
        let (database, zone) = try room.account(at: "site1")
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .fence { throw PlacedSites.stop }
            })
        try room.rooms[2].backUp(as: "backup")
        #expect(try sites.move(database, to: "site2"))
        try room.restore(2)
        let error = #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(error?.code == .damaged)
        #expect(try sites.placed.adopt(database) == .lost)
        #expect(try repair(database).abandon() == .lost(home: "site2"))
        try expectFresh(database, at: "site2")
    }

    @Test(
        "is complete at a site that was restored to a time just before it took over",
        arguments: [false, true])
    func arrived(moves: Bool) throws {
        let (database, zone) = try room.account(at: "site1")
        let isDone = try sites.move(database, to: "site2") { [room] step throws(RecordError) in
            guard step == .giveUp else { return }
            do { try room.rooms[2].backUp(as: "backup") } catch { Issue.record(error) }
        }
        #expect(isDone)
        if moves {
            #expect(
                try !sites.move(database, to: "site0") { step throws(RecordError) in
                    if step == .fence { throw PlacedSites.stop }
                })
        }
        try room.restore(2)
        #expect(try repair(database).look() == .older(home: "site2"))
        #expect(throws: RecordError.self) { try repair(database).abandon() }
        #expect(try sites.placed.adopt(database) == .adopted)
        #expect(try sites.placed.adopt(database) == .present)
        #expect(try repair(database).look() == .none(home: "site2"))
        try room.save("new", in: zone)
        #expect(try room.names(in: zone) == ["old", "new"])
        #expect(try sites.move(database, to: "site0"))
        #expect(try room.names(in: zone) == ["old", "new"])
        try sites.expectSettled(database, at: "site0")
    }

    @Test("begins anew while its site is dead, which counts for nothing when it comes back")
    func dead() throws {
        let (database, zone) = try room.account(at: "site2")
        room.hooks[2].die()
        try room.reconnect()
        #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(try repair(database).look() == .away(home: "site2"))
        #expect(throws: RecordError.self) { try repair(database).abandon(at: "site2") }
        #expect(try repair(database).abandon() == .away(home: "site2"))
        #expect(try sites.placed.entry(of: database)?.home == "site1")
        room.hooks[2].fail { _ in }
        try room.reconnect()
        #expect(try room.names(in: zone).isEmpty)
        #expect(try sites.placed.zones(of: database.place).isEmpty)
        try expectFresh(database, at: "site1")
    }

    @Test(
        "keeps everything if only the other end of its move is dead",
        arguments: [
            AccountMover.Step.announce, .take, .receive, .copy, .fence, .copyRest, .giveUp,
            .takeOver, .redirect, .clean, .settle,
        ])
    func half(step: AccountMover.Step) throws {
        let (database, zone) = try room.account(at: "site1")
        #expect(
            try !sites.move(database, to: "site2") { now throws(RecordError) in
                if now == step { throw PlacedSites.stop }
            })
        let entry = try #require(try sites.placed.entry(of: database))
        guard entry.state != .settled else { return }
        let other = entry.home == "site1" ? "site2" : "site1"
        let hooks = room.hooks[other == "site1" ? 1 : 2]
        hooks.die()
        try room.reconnect()
        #expect(throws: RecordError.self) { try sites.mover().resume(database) }
        let finding = HomeRepair.Finding.half(home: entry.home, gone: other)
        #expect(try repair(database).abandon() == finding)
        let settled = try #require(try sites.placed.entry(of: database))
        // The other end of the move is dead, and its row may have the next generation.
        #expect(settled.state == .settled && settled.generation > entry.generation + 1)
        try room.reconnect()
        #expect(try room.names(in: zone) == ["old"])
        try room.save("new", in: zone)
        try sites.mover().resume(database)
        // The other end comes back. Its data of the account counts for nothing, and the account can
        // move there.
        hooks.fail { _ in }
        try room.reconnect()
        #expect(try room.names(in: zone) == ["old", "new"])
        #expect(try sites.placed.zones(of: database.place).count == 1)
        for name in sites.names {
            #expect(try sites.move(database, to: name))
            #expect(try room.names(in: zone) == ["old", "new"])
        }
        try sites.expectOneHome(of: database)
    }

    /// What becomes of a site that had just taken an account over.
    enum Loss: CaseIterable { case restored, dead }

    @Test("goes back to its former home if that still has everything", arguments: Loss.allCases)
    func former(loss: Loss) throws {
        try room.rooms[2].backUp(as: "backup")
        let (database, zone) = try room.account(at: "site1")
        let timeline = try sites.placed.timeline(of: database)
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .clean { throw PlacedSites.stop }
            })
        try room.save("lost", in: zone)
        switch loss {
        case .restored:
            try room.restore(2)
            #expect(try sites.placed.adopt(database) == .left(at: "site1"))
        case .dead: room.hooks[2].die()
        }
        try room.reconnect()
        #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(throws: RecordError.self) { try sites.mover().resume(database) }
        let finding = HomeRepair.Finding.former(home: "site1", gone: "site2")
        #expect(try repair(database).look() == finding)
        #expect(try repair(database).abandon() == finding)
        #expect(try room.names(in: zone) == ["old"])
        // The timeline is another one, so clients start over.
        #expect(try sites.placed.timeline(of: database) != timeline)
        try room.save("new", in: zone)
        room.hooks[2].fail { _ in }
        try room.reconnect()
        #expect(try room.names(in: zone) == ["old", "new"])
        // The lost site may still have data of the account. Such data counts for nothing.
        for name in sites.names {
            #expect(try sites.move(database, to: name))
            #expect(try room.names(in: zone) == ["old", "new"])
        }
        try sites.expectSettled(database, at: "site2")
    }

    @Test("is kept at its former home if the new one dies just before the deletion")
    func dyingHome() throws {
        let (database, zone) = try room.account(at: "site1")
        let hooks = room.hooks
        let error = #expect(throws: RecordError.self) {
            _ = try sites.move(database, to: "site2") { step throws(RecordError) in
                guard step == .clean else { return }
                hooks[1].fail { call throws(RecordError) in
                    guard call == "replaceHome" else { return }
                    hooks[1].fail { _ in }
                    hooks[2].die()
                }
            }
        }
        #expect(error?.code == .unavailable)
        try room.reconnect()
        #expect(try sites.placed.site("site1").moves.home(of: database)?.state == .gone)
        let finding = HomeRepair.Finding.former(home: "site1", gone: "site2")
        #expect(try repair(database).abandon() == finding)
        #expect(try room.names(in: zone) == ["old"])
    }

    @Test("goes on with what another site has of an earlier time", arguments: Loss.allCases)
    func earlier(loss: Loss) throws {
        try room.rooms[2].backUp(as: "backup")
        let (database, zone) = try room.account(at: "site1")
        try room.rooms[1].backUp(as: "backup")
        #expect(try sites.move(database, to: "site2"))
        try room.save("lost", in: zone)
        try room.restore(1)
        #expect(try room.names(in: zone) == ["old", "lost"])
        switch loss {
        case .restored:
            try room.restore(2)
            #expect(try sites.placed.adopt(database) == .left(at: "site1"))
        case .dead: room.hooks[2].die()
        }
        try room.reconnect()
        let finding = HomeRepair.Finding.former(home: "site1", gone: "site2")
        #expect(try repair(database).look() == finding)
        #expect(try repair(database).abandon() == finding)
        #expect(try room.names(in: zone) == ["old"])
        #expect(try repair(database).look() == .none(home: "site1"))
    }

    @Test("can be given up again if that ended before it had begun anew")
    func again() throws {
        try room.rooms[2].backUp(as: "backup")
        let (database, _) = try room.account(at: "site2")
        try room.restore(2)
        for failing in ["replaceHome", "zones", "clear"] {
            room.hooks[1].fail { call throws(RecordError) in
                if call == failing { throw RecordError(.unavailable, "it fails", retryAfter: 1) }
            }
            #expect(throws: RecordError.self) { try repair(database).abandon(at: "site1") }
            room.hooks[1].fail { _ in }
            try room.reconnect()
            // What the failed attempt has begun counts for nothing: the account is still lost.
            let error = #expect(throws: RecordError.self) { try sites.placed.zones(in: database) }
            #expect(error?.code == .damaged)
        }
        #expect(try repair(database).abandon(at: "site1") == .lost(home: "site1"))
        try expectFresh(database, at: "site1")
    }

    @Test("is not deleted at its former home by a mover that slept while it was lost")
    func sleepingMover() throws {
        let (database, zone) = try room.account(at: "site1")
        let placed = sites.placed
        let error = #expect(throws: RecordError.self) {
            _ = try sites.move(database, to: "site2") { step throws(RecordError) in
                guard step == .clean else { return }
                // As after a restore from a backup of an earlier time.
                let row = try placed.home(of: database, at: "site2")
                let former = HomeRow(1, .emptied, other: "elsewhere", attempt: 99)
                _ = try placed.replaceHome(of: database, at: "site2", row, with: former)
            }
        }
        #expect(error?.code == .damaged)
        #expect(try placed.adopt(database) == .left(at: "site1"))
        let finding = HomeRepair.Finding.former(home: "site1", gone: "site2")
        #expect(try repair(database).abandon() == finding)
        #expect(try room.names(in: zone) == ["old"])
    }

    @Test("goes back only if nobody has taken it over meanwhile")
    func raced() throws {
        let (database, zone) = try room.account(at: "site1")
        #expect(
            try !sites.move(database, to: "site2") { step throws(RecordError) in
                if step == .takeOver { throw PlacedSites.stop }
            })
        room.hooks[2].die()
        let other = try room.gateway()
        let answers = Mutex<[Bool]>([])
        room.hooks[1].fail { [hooks = room.hooks] call throws(RecordError) in
            guard call == "replaceHome" else { return }
            hooks[1].fail { _ in }
            hooks[2].fail { _ in }
            let hasUsed = (try? other.placed.zones(in: database)) != nil
            answers.withLock { $0.append(hasUsed) }
        }
        #expect(try repair(database).abandon() == .half(home: "site1", gone: "site2"))
        #expect(answers.withLock { $0 } == [false])
        try room.reconnect()
        #expect(try room.names(in: zone) == ["old"])
        try sites.expectOneHome(of: database)
    }

    @Test("is told apart from one that was never at the restored site, and from one without loss")
    func restored() throws {
        try room.rooms[1].backUp(as: "backup")
        var bench = room.bench()
        let database = bench.database()
        _ = try bench.zone("zone", in: database)
        #expect(try sites.placed.adopt(database) == .present)
        try room.restore(1)
        #expect(try sites.placed.adopt(database) == .emptied)
        #expect(try sites.placed.adopt(database) == .present)
    }

    @Test("is listed although the reply to its adoption was lost")
    func lostReply() throws {
        let (database, _) = try room.account(at: "site2")
        try room.rooms[2].backUp(as: "backup")
        for target in ["site1", "site2"] { #expect(try sites.move(database, to: target)) }
        try room.restore(2)
        let sites = self.sites
        let row = try #require(try sites.placed.home(of: database, at: "site2"))
        let generation = try #require(try sites.placed.entry(of: database)?.generation)
        room.hooks[2].fail { [hooks = room.hooks[2]] call throws(RecordError) in
            guard call == "replaceHome" else { return }
            // The change is made, but the caller does not learn of it.
            hooks.fail { _ in }
            var next = HomeRow(generation, .here, attempt: row.attempt + 1)
            next.timeline = row.timeline
            _ = try sites.placed.replaceHome(of: database, at: "site2", row, with: next)
            throw RecordError(.unavailable, "the reply is lost", retryAfter: 1)
        }
        #expect(try sites.placed.adopt(database) == .adopted)
    }

    @Test("cannot be at a site that is another one under a second name")
    func twice() throws {
        let store = room.store(1)
        let sites = try PlacedSites([
            EmbeddedBackend(room.store(0)), EmbeddedBackend(store), EmbeddedBackend(store),
        ])
        let (database, _) = try room.account(at: "site1")
        for _ in 0..<2 {
            let error = #expect(throws: RecordError.self) { try sites.move(database, to: "site2") }
            #expect(error?.reason.contains("it is the same one as site1") == true)
        }
    }
}
