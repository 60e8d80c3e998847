import Bulla
import BullaTestSupport

/// Makes a given number of small durable commits, and reports how many were acknowledged.
struct CommitJob {
    private let store: Store
    private let worker: Int
    private let count: Int

    init(_ command: WorkerCommand) throws {
        worker = command.number("worker")
        count = command.number("count")
        store = try command.openStore()
    }

    func run() throws {
        Line.say("ready")
        Line.await()
        for number in 1...UInt64(count) {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "commits")
                try change.put(number.bytes, forKey: "worker-\(worker)", in: tree)
            }
        }
        Line.say("acknowledged", count)
        Line.say("ready")
        // The store's counts last only as long as a process has the store open.
        Line.awaitEnd()
        try store.close()
    }
}
