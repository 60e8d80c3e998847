import Bulla
import BullaRecords
import BullaTestSupport

/// Commits one known batch after the other until it is killed, and reports each batch before and
/// after its commit.
///
/// With `placed=1`, the zone belongs to an account that moves between stores.
struct BatchJob {
    private let backend: any RecordBackend
    private let zone: ZoneLife
    private let writer: Int
    private let first: Int

    init(_ command: TrialCommand) throws {
        let folder = try command.text("folder")
        let database: Database
        if (try? command.number("placed")) == 1 {
            backend = try PlacedTrial(folder).placed
            database = try PlacedTrial.database(1)
        } else {
            let store = try Store.open(at: TrialSite.recordsPath(folder), key: TrialSite.key(0))
            backend = EmbeddedBackend(store)
            database = Database(TrialSite.place, owner: nil)
        }
        (writer, first) = (try command.number("writer"), try command.number("first"))
        guard let zone = try backend.zone(named: try command.text("zone"), in: database) else {
            throw WorkerFailure(exit: .badCommand, message: "there is no such zone")
        }
        self.zone = ZoneLife(zone)
    }

    func run() throws {
        var number = UInt64(first)
        while true {
            let batch = try TrialBatch.batch(writer, number, in: zone, time: Int64(number))
            Line.say("try", number)
            guard case .committed = try commit(batch) else {
                throw WorkerFailure.impossible("batch \(number) was refused")
            }
            Line.say("done", number)
            number += 1
        }
    }

    /// Commits a batch; tries again while its database moves.
    private func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        while true {
            do throws(RecordError) { return try backend.commit(batch) } catch {
                guard error.hasMoved else { throw error }
            }
        }
    }
}
