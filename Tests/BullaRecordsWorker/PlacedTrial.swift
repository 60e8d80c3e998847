package import Bulla
package import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization

/// Accounts that are spread over three stores in one folder; a test and its workers have the stores
/// open.
package final class PlacedTrial: Sendable {
    package static let siteCount = 3
    package let stores: [Store]
    package let placed: PlacedBackend

    package init(_ folder: String) throws {
        stores = try (0..<Self.siteCount).map { number in
            var options = StoreOptions()
            options.lockTimeout = TestMode.patience
            return try Store.open(
                at: folder + "/\(Self.name(number)).bulla", key: TrialSite.key(0),
                options: options)
        }
        var sites: [String: any SiteBackend] = [:]
        for (number, store) in stores.enumerated() {
            sites[Self.name(number)] = EmbeddedBackend(store)
        }
        placed = PlacedBackend(
            sites, first: Self.name(0), newcomers: Self.name(0), checkHead: { _, _ in },
            keys: PlacedSites.keys)
    }

    package static func name(_ number: Int) -> String { PlacedSites.name(number) }

    package var mover: AccountMover { mover { _ in } }

    /// - Parameter probe: runs before each step of the mover.
    func mover(probe: @escaping AccountMover.Probe) -> AccountMover {
        AccountMover(
            placed, clock: { Int64(Date().timeIntervalSince1970 * 1_000) },
            patience: TestMode.patience, probe: probe)
    }

    /// The database of the account with this number.
    package static func database(_ number: UInt8) throws -> Database {
        guard let identifier = RandomIdentifier(bytes: [UInt8](repeating: number, count: 16)) else {
            throw WorkerFailure(exit: .badCommand, message: "there are 16 bytes")
        }
        return Database(TrialSite.place, owner: AccountIdentifier(identifier))
    }

    /// Whether a site has no zones and no uploads of a database whose home is elsewhere.
    package func holdsNothing(_ name: String, of database: Database) throws -> Bool {
        try placed.site(name).holdsNothing(of: database)
    }

    package func close() throws {
        for store in stores { try store.close() }
    }
}

/// Moves an account from site to site until it is killed; reports each arrival.
///
/// With `target=2 steps=7`, it moves the account to that site, and waits to be killed before its
/// eighth step.
struct MoveJob {
    private let trial: PlacedTrial
    private let database: Database
    private let target: Int?
    private let stepCount: Int

    init(_ command: TrialCommand) throws {
        trial = try PlacedTrial(try command.text("folder"))
        database = try PlacedTrial.database(1)
        target = try? command.number("target")
        stepCount = (try? command.number("steps")) ?? .max
    }

    func run() throws {
        guard let target else { return try roam() }
        let left = Atomic(stepCount)
        let count = stepCount
        try trial.mover { _ in
            guard left.subtract(1, ordering: .relaxed).newValue < 0 else { return }
            Line.say("steps", count)
            Line.awaitEnd()
        }.move(database, to: PlacedTrial.name(target))
        Line.say("at", target)
    }

    private func roam() throws {
        var target = 0
        while true {
            do throws(RecordError) {
                try trial.mover.resume(database)
                try trial.mover.move(database, to: PlacedTrial.name(target))
                Line.say("at", target)
            } catch {
                // Another mover has taken over the move, or has sent the account elsewhere.
                guard error.code == .invalidArguments || error.hasMoved else { throw error }
            }
            target = (target + 1) % PlacedTrial.siteCount
        }
    }
}
