internal import ArgumentParser
internal import BullaRecords
internal import BullaRecordsServer

/// `bulla-records verify`.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check that all zones have the records that were saved last.",
        discussion: """
            It finds records that were altered, hidden, or put back in an older version by \
            somebody with access to the records. It needs no user's keys, and does not open \
            what only users can open. It reads everything, while the service runs. It prints a \
            line for each zone, and exits with 1 if one is damaged. If a whole zone is older than \
            it was, only clients that follow it can tell.
            """)

    @OptionGroup var service: ServiceArguments

    func run() throws {
        let isSound = try service.withStores { stores in
            var isSound = true
            for place in try stores.keyring.containers.places() {
                guard let core = try stores.core(of: place) else { continue }
                for head in try stores.backend.zones(of: place) {
                    isSound = try verify(head, core, stores.backend) && isSound
                }
            }
            return isSound
        }
        if !isSound { throw ExitCode(1) }
    }

    /// Verifies a zone, and prints the result.
    private func verify(
        _ head: StoredZone, _ core: RecordCore, _ backend: any RecordBackend
    ) throws(RecordError) -> Bool {
        let name = Self.name(head)
        do throws(RecordError) {
            let verification = try core.verify(head)
            for failure in verification.failures { print("\(name): \(failure.error.reason)") }
            if let fault = verification.fault(in: head.name) { throw fault }
            print("\(name): \(verification.recordCount) records")
            return true
        } catch {
            if error.code == .zoneNotFound {
                // If the zone has been deleted meanwhile, that is no fault.
                let now = try backend.zone(named: head.name, in: head.database)
                guard now?.incarnation == head.incarnation else { return true }
            } else if error.code != .damaged {
                throw error
            }
            print("\(name): \(error.reason)")
            return false
        }
    }

    private static func name(_ head: StoredZone) -> String {
        let place = head.database.place
        let owner = head.database.owner?.userRecordName ?? "public"
        return "\(place.container) \(place.environment.name) \(owner) \(head.name)"
    }
}
