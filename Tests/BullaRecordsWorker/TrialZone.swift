package import BullaRecords
import BullaRecordsSupport
import BullaTestSupport

/// A zone and the number of its account, as commands and reports name them.
package struct TrialZone: Hashable, Sendable {
    package let account: UInt8
    package let name: String

    package init(_ account: UInt8, _ name: String) { (self.account, self.name) = (account, name) }

    init(_ text: some StringProtocol) throws {
        let parts = text.split(separator: ".")
        guard parts.count == 2, let account = UInt8(parts[0]) else {
            throw WorkerFailure(exit: .badCommand, message: "\(text) is no zone")
        }
        self.init(account, String(parts[1]))
    }

    package var text: String { "\(account).\(name)" }

    package static func list(_ text: String) throws -> [TrialZone] {
        try text.split(separator: ",").map { try TrialZone($0) }
    }

    package func database() throws -> Database { try PlacedTrial.database(account) }

    /// The present life of the zone, as soon as its site answers.
    func life(in backend: any RecordBackend) throws -> ZoneLife {
        let database = try database()
        let zone = try patiently { () throws(RecordError) in
            try backend.zone(named: name, in: database)
        }
        guard let zone else {
            throw WorkerFailure(exit: .badCommand, message: "there is no zone \(text)")
        }
        return ZoneLife(zone)
    }
}
