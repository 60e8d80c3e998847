internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer
internal import Foundation
internal import Synchronization

/// A database that moves, with the name by which operators know it.
struct PlacedAccount {
    let name: String
    let database: Database
    let stores: ServiceStores

    /// Runs a mover's work, reports its progress, and returns the database's home at the end.
    func home(
        after work: (AccountMover) throws -> Void
    ) throws -> String {
        let report = MoveReport(name)
        do {
            try work(stores.mover { report.note($0) })
        } catch let error as RecordError { throw explained(error) }
        return try stores.severalDatabases().entry(of: database)?.home
            ?? ServiceSettings.mainDatabase
    }

    /// The error of a move, with a hint if the database is lost.
    private func explained(_ error: RecordError) -> RecordError {
        guard error.detail == nil, let placed = stores.placed,
            let finding = try? HomeRepair(placed, database).look()
        else { return error }
        var error = error
        switch finding {
        case .none: return error
        case .older(let home):
            error.detail = "run bulla-records placement restored \(home)"
        case .half(_, let lost), .former(_, let lost), .lost(let lost), .away(let lost):
            error.detail =
                "if what \(lost) has of \(name) is lost for good, "
                + "run bulla-records placement abandon"
        }
        return error
    }
}

/// An account that has its home in one of several databases.
struct PlacedAccountArguments: ParsableArguments {
    @OptionGroup var account: AccountArguments

    func withAccount<R>(_ body: (PlacedAccount) throws -> R) throws -> R {
        try account.withAccount { stores, identifier, place in
            try body(
                PlacedAccount(
                    name: account.name, database: Database(place, owner: identifier),
                    stores: stores))
        }
    }
}

/// A container's public database, which, like an account, has its home in one of several databases.
struct PlacedPublicArguments: ParsableArguments {
    @OptionGroup var service: ServiceArguments
    @OptionGroup var place: PlaceArguments

    func withDatabase<R>(_ body: (PlacedAccount) throws -> R) throws -> R {
        try service.withStores { stores in
            try place.check(in: stores)
            return try body(
                PlacedAccount(
                    name: "the public database", database: Database(place.place, owner: nil),
                    stores: stores))
        }
    }
}

/// Reports the progress of a move on standard error.
private final class MoveReport: Sendable {
    private let name: String
    private let pageCount = Mutex(0)

    /// How many pages are copied between two lines of the report.
    private static let interval = 100

    init(_ name: String) { self.name = name }

    func note(_ step: AccountMover.Step) {
        switch step {
        case .receive: say("is being copied")
        case .copy, .copyRest:
            let count = pageCount.withLock { count in
                count += 1
                return count
            }
            if count.isMultiple(of: Self.interval) { say("\(count) pages are copied") }
        case .fence: say("can only be read until it has arrived")
        case .clean: say("what the move has left is being deleted")
        default: break
        }
    }

    private func say(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(name): \(text)\n".utf8))
    }
}
