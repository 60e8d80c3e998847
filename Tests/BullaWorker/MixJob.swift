import Bulla
import BullaTestSupport

/// Reads and writes everything that ``MixLayout`` names, in several threads.
struct MixJob {
    let worker: Int
    private let threadCount: Int
    private let store: Store
    private let durability: Durability
    private let operations: Int
    private let seconds: Int

    init(_ command: WorkerCommand) throws {
        worker = command.number("worker")
        threadCount = command.number("threads", or: 1)
        durability = command.durability
        operations = command.number("operations")
        seconds = command.number("seconds")
        store = try command.openStore()
    }

    /// Waits for a line before it begins, so that all workers begin at once; reports the expected
    /// content at the end.
    func run() throws {
        Line.say("ready")
        Line.await()
        let end = ContinuousClock.now + .seconds(seconds)
        let (worker, store, durability, operations) = (worker, store, durability, operations)
        let results = try ThreadTeam.run(threadCount) { index in
            var thread = MixThread(
                store: store, durability: durability, worker: worker, thread: index)
            var done = 0
            while done < operations || ContinuousClock.now < end {
                try thread.step()
                done += 1
            }
            return try thread.finish()
        }
        try store.close()
        tell(results)
    }

    private func tell(_ results: [MixThread.Result]) {
        Line.say("increments", results.reduce(0) { $0 + $1.increments })
        var digest = EntryDigest()
        for result in results { digest.add(result.digest) }
        Line.say("digest", digest.sum)
        Line.say("entries", digest.count)
    }
}
