import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("Sites that were restored from a backup")
struct RestoredSiteTests {
    private let room: PlacedRoom
    private var sites: PlacedSites { room.sites }

    init() throws {
        room = try PlacedRoom.openedBefore()
    }

    /// How a restored site comes back.
    enum Restore: CaseIterable {
        /// As it should: with another timeline.
        case forked
        /// With the same timeline: somebody has put a copy of its files back.
        case copied
    }

    private func backUp(_ index: Int, _ restore: Restore) throws {
        switch restore {
        case .forked: try room.rooms[index].backUp(as: "backup")
        case .copied: try room.rooms[index].copyFile(as: "copy")
        }
        try room.reconnect()
    }

    private func restore(_ index: Int, _ restore: Restore) throws {
        switch restore {
        case .forked: try room.rooms[index].restore("backup")
        case .copied: try room.rooms[index].putFileBack("copy")
        }
        try room.reconnect()
    }

    @Test(
        "never serve what has left them, although their map and rows agree that it is there",
        arguments: Restore.allCases)
    func formerHome(how: Restore) throws {
        let (database, zone) = try room.account(at: "site0")
        try backUp(0, how)
        #expect(try sites.move(database, to: "site2"))
        try room.save("new", in: zone)
        try restore(0, how)
        let former = try sites.placed.site("site0").moves.home(of: database)
        #expect(former?.isHome == true)
        #expect(try room.names(in: zone) == ["old", "new"])
        try room.save("newer", in: zone)
        #expect(try room.names(in: zone) == ["old", "new", "newer"])
        #expect(try sites.placed.entry(of: database)?.home == "site2")
        #expect(try sites.placed.zones(of: database.place).count == 1)
        // What the site still has of the account does not keep the account from coming back.
        #expect(try sites.move(database, to: "site0"))
        #expect(try room.names(in: zone) == ["old", "new", "newer"])
        try sites.expectSettled(database, at: "site0")
    }

    @Test(
        "know nothing of accounts that were made later, which are found at their sites",
        arguments: Restore.allCases)
    func laterAccount(how: Restore) throws {
        try backUp(0, how)
        let (database, zone) = try room.account(at: "site1")
        try restore(0, how)
        #expect(try room.names(in: zone) == ["old"])
        #expect(try sites.placed.entry(of: database)?.home == "site1")
    }

    @Test("let nobody in after a restore of the map until every site has answered")
    func strict() throws {
        let (database, zone) = try room.account(at: "site0")
        try room.rooms[0].backUp(as: "backup")
        #expect(try sites.move(database, to: "site2"))
        try room.save("new", in: zone)
        room.hooks[2].die()
        try room.restore(0)
        let error = #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(error?.code == .unavailable)
        room.hooks[2].fail { _ in }
        try room.reconnect()
        #expect(try room.names(in: zone) == ["old", "new"])
        // Without another restore, a site that does not answer disturbs no accounts of other sites.
        let (_, other) = try room.account(at: "site1")
        room.hooks[2].die()
        try room.reconnect()
        #expect(try room.names(in: other) == ["old"])
    }

    @Test("let everybody in although one of them has a row for which nobody vouches")
    func forgedRow() throws {
        try backUp(0, .forked)
        let (_, zone) = try room.account(at: "site1")
        let (other, _) = try room.account(at: "site1")
        var bench = room.bench()
        let madeUp = bench.database()
        let liar = try sites.placed.site("site2").moves
        #expect(try liar.replaceHome(of: other, nil, with: HomeRow(9, .here)))
        // No attempt has this number: the row is malformed.
        #expect(try liar.replaceHome(of: madeUp, nil, with: HomeRow(9, .here, attempt: .max)))
        try restore(0, .forked)
        #expect(try room.names(in: zone) == ["old"])
        let zones = try sites.placed.zones(of: BackendBench.place)
        #expect(zones.count == 2 && Set(zones.map(\.database)) == [zone.database, other])
        #expect(try sites.placed.entry(of: madeUp) == nil)
    }

    @Test("let everybody in although one of them claims to be another one")
    func claimedTimeline() throws {
        try backUp(0, .forked)
        let (_, zone) = try room.account(at: "site2")
        room.hooks[1].fork(try sites.placed.site("site2").siteTimeline())
        try restore(0, .forked)
        #expect(try room.names(in: zone) == ["old"])
    }

    @Test(
        "lose what left them and came back later, and never serve an emptied former home",
        arguments: Restore.allCases, [false, true])
    func returned(how: Restore, hasStayed: Bool) throws {
        let (database, zone) = try room.account(at: hasStayed ? "site0" : "site2")
        try backUp(0, how)
        for name in ["site2", "site0"] { #expect(try sites.move(database, to: name)) }
        try room.save("new", in: zone)
        try restore(0, how)
        let error = #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(error?.code == .damaged)
        #expect(try sites.placed.entry(of: database)?.home == "site0")
        // Nothing is deleted before an operator decides.
        #expect(throws: RecordError.self) { try sites.mover().resume(database) }
        #expect(try sites.placed.adopt(database) == (hasStayed ? .adopted : .lost))
        guard hasStayed else { return }
        #expect(try room.names(in: zone) == ["old"])
        try room.save("later", in: zone)
        try sites.mover().resume(database)
        try sites.expectSettled(database, at: "site0")
        #expect(try room.names(in: zone) == ["old", "later"])
    }

    @Test(
        "go on with a move that was in progress, or has long been over",
        arguments: Restore.allCases, [AccountMover.Step.take, .copy, .copyRest, .redirect])
    func movingMap(how: Restore, step: AccountMover.Step) throws {
        let (database, zone) = try room.account(at: "site1")
        try stop(database, before: step)
        try backUp(0, how)
        try sites.mover().resume(database)
        try room.save("new", in: zone)
        #expect(try sites.move(database, to: "site1"))
        try room.save("newer", in: zone)
        try restore(0, how)
        #expect(try room.names(in: zone) == ["old", "new", "newer"])
        try sites.mover().resume(database)
        #expect(try room.names(in: zone) == ["old", "new", "newer"])
        try sites.expectOneHome(of: database)
        #expect(try sites.placed.entry(of: database)?.home == "site1")
    }

    @Test(
        "begin the copy anew if the source was restored while it was copied",
        arguments: Restore.allCases)
    func source(how: Restore) throws {
        let (database, zone) = try room.account(at: "site1")
        try backUp(1, how)
        try room.save("lost", in: zone)
        try stop(database, before: .fence)
        try restore(1, how)
        for number in 0..<5 { try room.save("other \(number)", in: zone) }
        let expected = try room.names(in: zone)
        #expect(expected.count == 6 && !expected.contains("lost"))
        #expect(try sites.move(database, to: "site2"))
        #expect(try room.names(in: zone) == expected)
        try sites.expectSettled(database, at: "site2")
    }

    @Test(
        "begin the copy anew if the source was restored to an earlier part of the same copy",
        arguments: Restore.allCases)
    func sourceMidway(how: Restore) throws {
        let (database, zone) = try room.account(at: "site1")
        try stop(database, before: .fence)
        try backUp(1, how)
        try room.save("lost", in: zone)
        try stop(database, before: .fence)
        try restore(1, how)
        try room.save("other", in: zone)
        #expect(try sites.move(database, to: "site2"))
        #expect(try room.names(in: zone) == ["old", "other"])
    }

    @Test(
        "let the source have the account again if the target was restored before it arrived",
        arguments: [AccountMover.Step.giveUp, .takeOver], [false, true])
    func target(step: AccountMover.Step, hasStayed: Bool) throws {
        let (database, zone) = try room.account(at: hasStayed ? "site2" : "site1")
        try room.rooms[2].backUp(as: "backup")
        #expect(try sites.move(database, to: "site1"))
        try stop(database, before: step)
        try room.restore(2)
        try save(of: database, in: zone)
        #expect(try sites.move(database, to: "site2"))
        #expect(try room.names(in: zone) == ["old", "new"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test(
        "let the source have the account again if the target was restored amid the copy",
        arguments: Restore.allCases)
    func targetMidway(how: Restore) throws {
        let (database, zone) = try room.account(at: "site1")
        if how == .copied {
            // Copying a store's file closes the store, and no mover can work meanwhile: this one
            // stops, and another one comes later.
            try stop(database, before: .copy)
            try backUp(2, how)
        }
        try stop(database, before: .takeOver) { [room] step throws(RecordError) in
            guard step == .copy, how == .forked else { return }
            do { try room.rooms[2].backUp(as: "backup") } catch { Issue.record(error) }
        }
        try restore(2, how)
        #expect(try room.names(in: zone) == ["old"])
        try room.save("new", in: zone)
        #expect(try sites.move(database, to: "site2"))
        #expect(try room.names(in: zone) == ["old", "new"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test("do not take away again what the source has had back, if a newer backup is found")
    func targetTwice() throws {
        let (database, zone) = try room.account(at: "site1")
        try stop(database, before: .redirect) { [room] step throws(RecordError) in
            guard step == .copy else { return }
            do { try room.rooms[2].backUp(as: "early") } catch { Issue.record(error) }
        }
        try room.rooms[2].backUp(as: "late")
        try room.restore(2, "early")
        try room.save("new", in: zone)
        try room.restore(2, "late")
        #expect(try sites.placed.home(of: database, at: "site2")?.state == .here)
        #expect(try room.names(in: zone) == ["old", "new"])
        #expect(try sites.move(database, to: "site2"))
        #expect(try room.names(in: zone) == ["old", "new"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test("begin the copy anew if the target was restored to an earlier part of the same copy")
    func targetBetween() throws {
        let (database, zone) = try room.account(at: "site1")
        try stop(database, before: .fence) { [room] step throws(RecordError) in
            guard step == .copy else { return }
            do { try room.rooms[2].backUp(as: "backup") } catch { Issue.record(error) }
        }
        try room.restore(2)
        let clears = Atomic(0)
        let isDone = try sites.move(database, to: "site2") { step throws(RecordError) in
            if step == .clear { clears.add(1, ordering: .relaxed) }
        }
        #expect(isDone && clears.load(ordering: .relaxed) == 1)
        #expect(try room.names(in: zone) == ["old"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test("begin the copy anew if the target was restored just before the source gives up")
    func targetAtTheEnd() throws {
        let (database, zone) = try room.account(at: "site1")
        let hooks = room.hooks[2]
        let hasForked = Atomic(false)
        let clears = Atomic(0)
        let timeline = try RandomIdentifier.new()
        let isDone = try sites.move(database, to: "site2") { step throws(RecordError) in
            if step == .clear { clears.add(1, ordering: .relaxed) }
            guard step == .complete, !hasForked.exchange(true, ordering: .relaxed) else { return }
            hooks.fork(timeline)
        }
        #expect(isDone && clears.load(ordering: .relaxed) == 2)
        #expect(try room.names(in: zone) == ["old"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test("go on with an account that was complete in the backup, although it had another home")
    func targetComplete() throws {
        let (database, zone) = try room.account(at: "site1")
        let isDone = try sites.move(database, to: "site2") { [room] step throws(RecordError) in
            guard step == .giveUp else { return }
            do { try room.rooms[2].backUp(as: "backup") } catch { Issue.record(error) }
        }
        #expect(isDone)
        try room.save("lost", in: zone)
        try room.restore(2)
        #expect(try room.names(in: zone) == ["old"])
        try room.save("new", in: zone)
        #expect(try room.names(in: zone) == ["old", "new"])
        try sites.expectSettled(database, at: "site2")
    }

    @Test(
        "go on with an account that was complete in the backup, and was about to leave again",
        arguments: [false, true])
    func targetLeaving(isUsed: Bool) throws {
        let (database, zone) = try room.account(at: "site1")
        let isDone = try sites.move(database, to: "site2") { [room] step throws(RecordError) in
            guard step == .giveUp else { return }
            do { try room.rooms[2].backUp(as: "backup") } catch { Issue.record(error) }
        }
        #expect(isDone)
        #expect(
            try !sites.move(database, to: "site0") { step throws(RecordError) in
                if step == .fence { throw PlacedSites.stop }
            })
        try room.restore(2)
        // Either a client or a mover, whichever comes first, lets the site take over again.
        if isUsed { #expect(try room.names(in: zone) == ["old"]) }
        try sites.mover().resume(database)
        #expect(try room.names(in: zone) == ["old"])
        try sites.expectSettled(database, at: "site0")
    }

    /// Lets a mover begin, or go on, and ends it before a step.
    private func stop(
        _ database: Database, before last: AccountMover.Step,
        visit: @escaping @Sendable (AccountMover.Step) throws(RecordError) -> Void = { _ in }
    ) throws {
        let isDone = try sites.move(database, to: "site2") { step throws(RecordError) in
            if step == last { throw PlacedSites.stop }
            try visit(step)
        }
        #expect(!isDone)
    }

    /// Saves a record; if the account can only be read, this first cancels its move.
    private func save(of database: Database, in zone: ZoneLife) throws {
        do { try room.save("new", in: zone) } catch let error as RecordError {
            guard error.hasMoved else { throw error }
            try sites.mover().cancel(database)
            try room.save("new", in: zone)
        }
    }

    @Test("say so where an account has come later than the backup, and go on with an earlier stay")
    func restoredHome() throws {
        let (database, zone) = try room.account(at: "site1")
        try room.rooms[1].backUp(as: "backup")
        #expect(try sites.move(database, to: "site2"))
        try room.save("new", in: zone)
        try room.rooms[2].backUp(as: "without")
        #expect(try sites.move(database, to: "site1"))
        try room.save("newer", in: zone)
        try room.restore(1)
        let error = #expect(throws: RecordError.self) { try room.names(in: zone) }
        #expect(error?.code == .damaged)
        #expect(try sites.placed.adopt(database) == .adopted)
        #expect(try room.names(in: zone) == ["old"])
        try room.save("later", in: zone)
        #expect(try sites.placed.adopt(database) == .present)
        try sites.expectOneHome(of: database)
        // An account is lost if it was never at its site before the backup.
        let (other, otherZone) = try room.account(at: "site1")
        #expect(try sites.move(other, to: "site2"))
        try room.restore(2, "without")
        #expect(throws: RecordError.self) { try room.names(in: otherZone) }
        #expect(try sites.placed.adopt(other) == .lost)
        #expect(try room.names(in: zone) == ["old", "later"])
    }
}
