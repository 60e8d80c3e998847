import Bulla
import BullaTestSupport

/// Holds many snapshots at once until its input ends.
struct PinJob {
    private let store: Store
    private let count: Int

    init(_ command: WorkerCommand) throws {
        count = command.number("count")
        store = try command.openStore()
    }

    func run() throws { try pin(count) }

    private func pin(_ count: Int) throws {
        guard count > 0 else {
            Line.say("ready")
            return Line.awaitEnd()
        }
        let snapshot = try store.makeSnapshot()
        try pin(count - 1)
        guard snapshot.commit > 0 else { throw WorkerFailure.impossible("commit 0 never was") }
    }
}
