import Bulla
import BullaTestSupport

extension TortureJob {
    mutating func write(to store: Store) throws {
        for _ in 0..<stay() {
            guard !stop.hasCome else { return }
            let durability = durability()
            let counter = try commit(to: store, durability)
            // Relaxed commits can be lost when all processes die.
            if case .relaxed = durability {} else { line.acknowledged = counter }
            count()
            if random.below(4) == 0 { try lookBack(store, counter) }
        }
    }

    /// Checks that a writer sees its own commits.
    private mutating func lookBack(_ store: Store, _ counter: UInt64) throws {
        let isDurable = line.acknowledged == counter
        let snapshot = try store.makeSnapshot(visibility: isDurable ? .durable : .published)
        guard try snapshot.tortureCounter(worker) == counter else {
            throw WorkerFailure.impossible("writer-\(worker) does not see \(counter)")
        }
        count()
    }

    private mutating func durability() -> Durability {
        random.below(20) < 3 ? .relaxed(within: .milliseconds(20)) : .full
    }

    private mutating func commit(to store: Store, _ durability: Durability) throws -> UInt64 {
        try store.write(durability: durability) { change in
            let former = try change.tortureCounter(worker)
            guard former >= line.acknowledged, former <= line.attempted else {
                throw WorkerFailure.impossible(
                    "writer-\(worker): the counter is \(former), acknowledged were "
                        + "\(line.acknowledged), attempted \(line.attempted)")
            }
            line.attempted = former + 1
            scores.write(line, of: worker)
            try bump(&change, to: former + 1)
            return former + 1
        }
    }

    private func bump(_ change: inout WriteTransaction, to counter: UInt64) throws {
        let key = TortureLayout.writer(worker)
        for name in TortureLayout.copies {
            try change.put(counter.bytes, forKey: key, in: try change.tree(named: name))
        }
        let check = TortureLayout.check(worker, counter)
        try change.put(check.bytes, forKey: key, in: try change.tree(named: TortureLayout.checks))
        let totals = try change.tree(named: TortureLayout.totals)
        let total = try change.number(TortureLayout.total, in: totals) + 1
        try change.put(total.bytes, forKey: TortureLayout.total, in: totals)
        let ballast = try change.tree(named: TortureLayout.ballast)
        let place = TortureLayout.ballastKey(worker, counter)
        if let value = TortureLayout.ballastValue(worker, counter) {
            try change.put(value, forKey: place, in: ballast)
        } else {
            try change.delete(place, in: ballast)
        }
        if TortureLayout.isSurge(counter) { try surge(&change, counter) }
    }

    private func surge(_ change: inout WriteTransaction, _ counter: UInt64) throws {
        guard let value = TortureLayout.surgeValue(counter) else { return }
        let tree = try change.tree(named: TortureLayout.surge)
        for index in 0..<TortureLayout.surgeCount {
            try change.put(value, forKey: TortureLayout.surgeKey(worker, index), in: tree)
        }
    }
}
