#if PostgreSQL
import BullaRecords
package import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport

/// The servers' databases over which a trial's accounts are spread.
package enum ServedTrial {
    /// The argument in a worker's command that says where the databases are.
    package static func value(_ addresses: [DatabaseAddress]) throws -> String {
        let texts = try addresses.map { address in
            guard case .socket(let folder) = address.route else {
                throw WorkerFailure(exit: .badCommand, message: "a worker needs a socket")
            }
            return "\(address.user):\(address.database):\(folder)"
        }
        return "sites=" + texts.joined(separator: ",")
    }

    /// A backend over a command's databases; it does not repeat calls that fail, because the worker
    /// does.
    static func backend(_ command: TrialCommand) throws -> any RecordBackend {
        let sites: [any SiteBackend] = try command.text("sites").split(separator: ",").map {
            try PostgreSQLBackend(
                address($0), connectionLimit: 2, patience: .zero, mayBeAway: true)
        }
        guard sites.count > 1 else {
            throw WorkerFailure(exit: .badCommand, message: "there are too few sites")
        }
        return try PlacedSites(sites).placed
    }

    private static func address(_ text: Substring) throws -> DatabaseAddress {
        let parts = text.split(separator: ":", maxSplits: 2).map { String($0) }
        guard parts.count == 3 else {
            throw WorkerFailure(exit: .badCommand, message: "\(text) is no site")
        }
        return try DatabaseAddress(
            .socket(folder: parts[2]), database: parts[1], user: parts[0])
    }
}
#endif
