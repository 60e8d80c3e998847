package import BullaRecords
import Synchronization
import Testing

/// A mover that stands still before one of its steps until another mover has finished the move, and
/// then goes on.
package struct LateMover: Sendable {
    private let sites: PlacedSites
    private let other: PlacedSites
    private let step: AccountMover.Step

    /// - Parameter other: another gateway over the same sites.
    package init(_ sites: PlacedSites, _ other: PlacedSites, before step: AccountMover.Step) {
        (self.sites, self.other, self.step) = (sites, other, step)
    }

    /// Checks that the late mover changes nothing any more.
    package func run(seed: UInt64) throws {
        let client = try MovedClient(sites.placed, seed: seed)
        let database = client.database
        for gateway in [sites, other] { gateway.note(client.time) }
        let zone = client.newZone("made meanwhile")
        let hasMet = Atomic(false)
        let isMade = Atomic(false)
        try prepare(database)
        do {
            try act(database) { now throws(RecordError) in
                // A mover comes to `unfence` if the copy fails, so make it fail.
                if step == .unfence, now == .copyRest { throw Self.failure }
                guard now == step, !hasMet.exchange(true, ordering: .relaxed) else { return }
                // While the late mover stands still, the zone is made, if it can be, and the other
                // mover finishes the move.
                isMade.store(make(zone), ordering: .relaxed)
                finish(database)
            }
        } catch let error as RecordError {
            let isExpected =
                switch step {
                case .unfence: error == Self.failure
                case .stay: error.code == .invalidArguments
                default: error.hasMoved
                }
            #expect(isExpected, "\(step): \(error)")
        }
        let wasMet = hasMet.load(ordering: .relaxed)
        #expect(wasMet, "\(step)")
        if isMade.load(ordering: .relaxed) {
            #expect(try sites.placed.delete(ZoneLife(zone)), "\(step)")
        }
        try sites.mover().resume(database)
        try sites.expectSettled(database, at: "site2")
        try client.expectEqual()
    }

    private static let failure = RecordError(.internalError, "the copy fails")

    /// Brings a database to a state in which a mover comes to the step.
    private func prepare(_ database: Database) throws {
        switch step {
        case .stay: #expect(try !sites.move(database, to: "site2", stepCount: 3))
        case .takeBack: try bringTargetBack(database)
        default: break
        }
    }

    /// Lets the source give the database up, and then gives the target the row that it had before
    /// the copy was complete.
    private func bringTargetBack(_ database: Database) throws {
        let target = try sites.placed.site("site2").moves
        let arriving = Mutex<HomeRow?>(nil)
        let hasArrived = try sites.move(database, to: "site2") { now throws(RecordError) in
            if now == .fence {
                let row = try target.home(of: database)
                arriving.withLock { $0 = row }
            }
            if now == .takeOver { throw PlacedSites.stop }
        }
        #expect(!hasArrived)
        let former = try #require(arriving.withLock { $0 })
        let row = try target.home(of: database)
        #expect(try target.replaceHome(of: database, row, with: former))
    }

    /// Brings a mover to the step: cancels the move for `stay`, and otherwise moves the database.
    private func act(
        _ database: Database,
        visit: @escaping @Sendable (AccountMover.Step) throws(RecordError) -> Void
    ) throws {
        if step == .stay {
            try sites.mover(visit: visit).cancel(database)
        } else {
            _ = try sites.move(database, to: "site2", visit: visit)
        }
    }

    /// Makes a zone; `false` if the database is near the end of its move, and can only be read.
    private func make(_ zone: StoredZone) -> Bool {
        do throws(RecordError) { return try other.placed.create(zone) } catch {
            if !error.hasMoved { Issue.record(error) }
            return false
        }
    }

    private func finish(_ database: Database) {
        do { #expect(try other.move(database, to: "site2")) } catch { Issue.record(error) }
    }
}
