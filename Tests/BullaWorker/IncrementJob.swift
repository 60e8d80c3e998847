import Bulla
import BullaTestSupport
import Synchronization

/// Increments counters until its input ends; reports each acknowledged increment.
///
/// Every transaction increments its thread's counter and the total of all counters.
struct IncrementJob {
    private let worker: String
    private let threadCount: Int
    private let store: Store
    private let durability: Durability

    init(_ command: WorkerCommand) throws {
        worker = command.text("worker") ?? "0"
        threadCount = command.number("threads", or: 1)
        durability = command.durability
        store = try command.openStore()
    }

    func run() throws {
        let stop = Stop()
        let (worker, store, durability, count) = (worker, store, durability, threadCount)
        // The last thread waits for the end of the input.
        _ = try ThreadTeam.run(count + 1) { index in
            guard index < count else { return stop.awaitEnd() }
            let counter = IncrementLayout.counter(worker: worker, thread: index)
            while !stop.isAsked {
                let value = try Self.increment(counter, in: store, durability)
                Line.say("\(counter)=\(value)")
            }
        }
        try store.close()
    }

    private static func increment(
        _ counter: String, in store: Store, _ durability: Durability
    ) throws -> UInt64 {
        try store.write(durability: durability) { change in
            let tree = try change.tree(named: IncrementLayout.tree)
            let value = try change.number(counter, in: tree) + 1
            try change.put(value.bytes, forKey: counter, in: tree)
            let total = try change.number(IncrementLayout.total, in: tree) + 1
            try change.put(total.bytes, forKey: IncrementLayout.total, in: tree)
            return value
        }
    }

    private final class Stop: Sendable {
        private let asked = Atomic(false)

        var isAsked: Bool { asked.load(ordering: .relaxed) }

        func awaitEnd() {
            Line.awaitEnd()
            asked.store(true, ordering: .relaxed)
        }
    }
}

/// The content of a store whose workers are killed.
package enum IncrementLayout {
    package static let tree = "increments"
    /// The sum of all the other counters.
    package static let total = "total"

    package static func counter(worker: String, thread: Int) -> String { "w\(worker)t\(thread)" }
}
