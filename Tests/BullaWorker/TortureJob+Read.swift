import Bulla
import BullaTestSupport

extension TortureJob {
    mutating func read(from store: Store) throws {
        var seen = [
            false: [UInt64](repeating: 0, count: TortureLayout.writerCount),
            true: [UInt64](repeating: 0, count: TortureLayout.writerCount),
        ]
        var stays = stay()
        while stays > 0 && !stop.hasCome {
            let held = try store.makeSnapshot()
            let before = try look(at: held, notBefore: seen[true] ?? [])
            for _ in 0..<random.below(8) {
                let isDurable = random.below(2) == 0
                let floor = zip(seen[isDurable] ?? [], acknowledged()).map { max($0, $1) }
                let snapshot = try store.makeSnapshot(visibility: isDurable ? .durable : .published)
                seen[isDurable] = try look(at: snapshot, notBefore: floor)
                stays -= 1
                count()
            }
            guard try look(at: held, notBefore: before) == before else {
                throw WorkerFailure.impossible("commit \(held.commit) changed while it was held")
            }
            count()
        }
    }

    /// The counters that every new snapshot must reach.
    ///
    /// They are zeros if an outsider scribbles over the coordination file, and so may set its
    /// clocks back: a snapshot can then be an older one.
    private func acknowledged() -> [UInt64] {
        (0..<TortureLayout.writerCount).map { isScribbled ? 0 : scores[$0].acknowledged }
    }

    private mutating func look(
        at snapshot: borrowing Snapshot, notBefore floor: [UInt64]
    ) throws -> [UInt64] {
        let counters = try snapshot.tortureCounters()
        guard zip(counters, floor).allSatisfy({ $0 >= $1 }) else {
            throw WorkerFailure.impossible(
                "commit \(snapshot.commit): the counters are \(counters), after \(floor)")
        }
        for (writer, counter) in counters.enumerated() {
            let age = UInt64(random.below(Int(TortureLayout.ballastCount)))
            try snapshot.checkTortureBallast(writer, counter, age: age)
            let index = random.below(TortureLayout.surgeCount)
            try snapshot.checkTortureSurge(writer, counter, index: index)
        }
        return counters
    }
}
