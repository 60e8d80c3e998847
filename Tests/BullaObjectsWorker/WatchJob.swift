import Bulla
import BullaObjects
import BullaTestSupport

/// Follows ticks until all have arrived; checks that each comes once, and that each writer's ticks
/// come in order.
///
/// With `pause`, it waits that many milliseconds after each change before it reads on.
struct WatchJob {
    private let database: ObjectDatabase
    private let count: Int
    private let pause: Int
    private let idle: Int

    init(_ command: ObjectsCommand) throws {
        database = try ObjectDatabase(command.open(), models: [Tick.self])
        (count, pause) = (command.int("count"), command.int("pause"))
        idle = command.int("idle")
    }

    func run() throws {
        var changes = database.changes(of: Tick.all).makeAsyncIterator()
        guard try changes.next(waitingAtMost: .zero)?.resultCount == 0 else {
            throw WorkerFailure.impossible("there are ticks before the first")
        }
        if idle > 0 { try rest(&changes) }
        Line.say("ready")
        var (next, seen, elements, delays) = ([Int: Int](), 0, 0, [Int]())
        while seen < count {
            guard let change = try changes.next(waitingAtMost: .seconds(60)) else {
                throw WorkerFailure.impossible("nothing came in a minute, after \(seen) ticks")
            }
            let now = ProcessClock.now
            guard change.updated.isEmpty, change.removed.isEmpty else {
                throw WorkerFailure.impossible("ticks never change")
            }
            for tick in change.inserted {
                guard tick.number == next[tick.writer, default: 0] else {
                    throw WorkerFailure.impossible(
                        "tick \(tick.number) of writer \(tick.writer) came in the place of "
                            + "\(next[tick.writer, default: 0])")
                }
                next[tick.writer] = tick.number + 1
                delays.append(now - tick.sent)
            }
            seen += change.inserted.count
            elements += 1
            guard change.resultCount == seen else {
                throw WorkerFailure.impossible(
                    "\(change.resultCount) ticks are told of, not \(seen)")
            }
            if pause > 0 { ProcessClock.sleep(milliseconds: pause) }
        }
        Line.say("elements", elements)
        Line.say("median", delays.sorted()[delays.count / 2])
        try database.store.close()
    }

    /// Reports the cost of waiting while nothing happens.
    private func rest(_ changes: inout ObjectStream<ObjectChange<Tick>>.AsyncIterator) throws {
        let before = ProcessClock.used
        guard try changes.next(waitingAtMost: .seconds(idle)) == nil else {
            throw WorkerFailure.impossible("something came before it was sent")
        }
        Line.say("idle", ProcessClock.used - before)
    }
}
