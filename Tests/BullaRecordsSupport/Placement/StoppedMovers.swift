import BullaRecords
import Testing

/// Movers, each stopped some steps later than the one before, and others that finish their moves,
/// while a client uses the account.
package struct StoppedMovers: Sendable {
    private let sites: PlacedSites

    package init(_ sites: PlacedSites) { self.sites = sites }

    /// Checks that the account has one home and all changes at any time.
    ///
    /// - Parameter stride: how many more steps each mover may take than the mover before it.
    package func run(seed: UInt64, by stride: Int = 1) throws {
        var (stepCount, hasArrived, refusedCount) = (0, false, 0)
        // Each round moves an account of its own.
        while !hasArrived {
            let client = try MovedClient(sites.placed, seed: seed &* 1_000 &+ UInt64(stepCount))
            sites.note(client.time)
            let database = client.database
            hasArrived = try sites.move(database, to: "site2", stepCount: stepCount) { _ in
                use(client, count: 1)
            }
            try sites.expectOneHome(of: database)
            for _ in 0..<8 { try client.act() }
            let isDone = try sites.move(database, to: "site2") { _ in use(client, count: 2) }
            #expect(isDone)
            for _ in 0..<8 { try client.act() }
            try client.expectEqual()
            try sites.expectSettled(database, at: "site2")
            refusedCount += client.refusedCount
            stepCount += stride
        }
        #expect(stepCount > 15 && refusedCount > 0, "\(stepCount) steps")
    }

    /// Lets a client make changes just before a mover takes a step.
    private func use(_ client: MovedClient, count: Int) {
        do {
            for _ in 0..<count { try client.act() }
            try sites.expectOneHome(of: client.database)
        } catch { Issue.record(error) }
    }
}
