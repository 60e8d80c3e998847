import Bulla
import BullaRecords
import BullaTestSupport

/// Commits one known batch after the other until it is killed; reports each batch before and after
/// its commit.
struct BatchJob {
    private let backend: EmbeddedBackend
    private let zone: ZoneLife
    private let writer: Int
    private let first: Int

    init(_ command: TrialCommand) throws {
        let path = TrialSite.recordsPath(try command.text("folder"))
        backend = EmbeddedBackend(try Store.open(at: path, key: TrialSite.key(0)))
        (writer, first) = (try command.number("writer"), try command.number("first"))
        let database = Database(TrialSite.place, owner: nil)
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
            guard case .committed = try backend.commit(batch) else {
                throw WorkerFailure.impossible("batch \(number) was refused")
            }
            Line.say("done", number)
            number += 1
        }
    }
}
