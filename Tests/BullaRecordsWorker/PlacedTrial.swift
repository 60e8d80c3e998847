package import Bulla
internal import BullaCipher
internal import BullaMemory
package import BullaRecords
import BullaTestSupport
import Foundation

/// Three stores in one folder that share the databases of accounts, which a test and its workers
/// have open.
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
            sites, first: Self.name(0), newcomers: Self.name(0), keys: Self.key)
    }

    package static func name(_ number: Int) -> String { "site\(number)" }

    @Sendable private static func key(_ place: Place) throws(RecordError) -> HMAC {
        var secret: SecretBytes
        do { secret = try SecretBytes(byteCount: 32) } catch {
            throw RecordError(.internalError, "no memory for a secret: \(error)")
        }
        secret.withMutableView { $0.fill(3, 32) }
        return try ContainerKeys(place, secret).directory
    }

    package var mover: AccountMover {
        AccountMover(placed) { Int64(Date().timeIntervalSince1970 * 1_000) }
    }

    /// The database of the account with a number.
    package static func database(_ number: UInt8) throws -> Database {
        guard let identifier = RandomIdentifier(bytes: [UInt8](repeating: number, count: 16)) else {
            throw WorkerFailure(exit: .badCommand, message: "there are 16 bytes")
        }
        return Database(TrialSite.place, owner: AccountIdentifier(identifier))
    }

    package func close() throws {
        for store in stores { try store.close() }
    }
}

/// Moves an account from site to site until it is killed; reports each arrival.
struct MoveJob {
    private let trial: PlacedTrial
    private let database: Database

    init(_ command: TrialCommand) throws {
        trial = try PlacedTrial(try command.text("folder"))
        database = try PlacedTrial.database(1)
    }

    func run() throws {
        var target = 0
        while true {
            do {
                try trial.mover.resume(database)
                try trial.mover.move(database, to: PlacedTrial.name(target))
                Line.say("at", target)
            } catch let error as RecordError {
                // Another mover has sent it elsewhere meanwhile.
                guard error.code == .invalidArguments else { throw error }
            }
            target = (target + 1) % PlacedTrial.siteCount
        }
    }
}
