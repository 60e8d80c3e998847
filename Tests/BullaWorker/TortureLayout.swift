package import Bulla
import BullaTestSupport

/// The content of a store whose workers are killed at any moment.
///
/// Each commit of a writer increments the writer's counter in three trees, and the total over all
/// writers. The commit also replaces a checksum of the counter, and ballast derived from the
/// counter. Thus torn and lost commits show, as do commits that are based on an older state.
package enum TortureLayout {
    package static let writerCount = 4
    package static let readerCount = 4
    package static let copies = ["first", "second", "third"]
    package static let checks = "checks"
    package static let totals = "totals"
    package static let total = "total"
    package static let ballast = "ballast"
    /// How many entries of ballast each writer has, and overwrites in turn.
    static let ballastCount: UInt64 = 40
    package static let surge = "surge"
    /// How many entries a writer overwrites all at once, so many that the commit allocates space.
    static let surgeCount = 1200
    private static let surgeByteCount = 900
    private static let surgePeriod: UInt64 = 64

    package static func create(in store: Store) throws {
        try store.write { change in
            let names = copies + [checks, totals, ballast, surge]
            for name in names { try change.openOrCreateTree(named: name) }
        }
    }

    static func writer(_ index: Int) -> String { "writer-\(index)" }

    static func check(_ writer: Int, _ counter: UInt64) -> UInt64 {
        var random = TestRandom(seed: Int(truncatingIfNeeded: counter &* 8) + writer + 1)
        return random.next()
    }

    static func isSurge(_ counter: UInt64) -> Bool { counter % surgePeriod == 32 }

    static func surgeKey(_ writer: Int, _ index: Int) -> String { "writer-\(writer)-\(index)" }

    /// The value that was written by the newest surge, at this counter or before it; `nil` before
    /// the first surge.
    static func surgeValue(_ counter: UInt64) -> [UInt8]? {
        guard counter >= 32 else { return nil }
        let turn = UInt8(truncatingIfNeeded: (counter - 32) / surgePeriod)
        return [UInt8](repeating: turn, count: surgeByteCount)
    }

    static func ballastKey(_ writer: Int, _ counter: UInt64) -> String {
        "writer-\(writer)-\(counter % ballastCount)"
    }

    /// The ballast of a commit: usually little, sometimes full pages, or nothing.
    static func ballastValue(_ writer: Int, _ counter: UInt64) -> [UInt8]? {
        var random = TestRandom(seed: Int(truncatingIfNeeded: counter &* 8) + writer + 5)
        // A large value, written in runs so short that a new file is extended with zeros.
        if counter % surgePeriod == 16 { return random.uniqueBytes(400_000) }
        switch random.below(16) {
        case 0: return nil
        case 1: return random.uniqueBytes(6000 + random.below(60_000))
        default: return random.uniqueBytes(random.below(400))
        }
    }
}

extension TreeReader where Self: ~Copyable {
    /// Checks that a writer's counter is the same everywhere, and returns it.
    package func tortureCounter(_ writer: Int) throws -> UInt64 {
        let key = TortureLayout.writer(writer)
        let counters = try TortureLayout.copies.map { try number(key, in: tree(named: $0)) }
        let counter = counters[0]
        guard counters.allSatisfy({ $0 == counter }) else {
            throw WorkerFailure.impossible("\(key): the copies are \(counters)")
        }
        let check = try number(key, in: tree(named: TortureLayout.checks))
        guard check == (counter == 0 ? 0 : TortureLayout.check(writer, counter)) else {
            throw WorkerFailure.impossible("\(key): the check is not that of \(counter)")
        }
        return counter
    }

    /// The counters of all writers, after checking everything that depends on them.
    package func tortureCounters() throws -> [UInt64] {
        let counters = try (0..<TortureLayout.writerCount).map { try tortureCounter($0) }
        let total = try number(TortureLayout.total, in: tree(named: TortureLayout.totals))
        guard total == counters.reduce(0, +) else {
            throw WorkerFailure.impossible("the counters are \(counters), their total is \(total)")
        }
        return counters
    }

    /// Checks the ballast that a writer wrote `age` commits ago.
    package func checkTortureBallast(_ writer: Int, _ counter: UInt64, age: UInt64) throws {
        guard counter > age, age < TortureLayout.ballastCount else { return }
        let then = counter - age
        let found = try value(
            forKey: TortureLayout.ballastKey(writer, then), in: tree(named: TortureLayout.ballast))
        guard found == TortureLayout.ballastValue(writer, then) else {
            throw WorkerFailure.impossible("writer-\(writer): the ballast is not that of \(then)")
        }
    }

    package func checkTortureSurge(_ writer: Int, _ counter: UInt64, index: Int) throws {
        let found = try value(
            forKey: TortureLayout.surgeKey(writer, index), in: tree(named: TortureLayout.surge))
        guard found == TortureLayout.surgeValue(counter) else {
            throw WorkerFailure.impossible("writer-\(writer): not the surge before \(counter)")
        }
    }

    /// Checks the whole ballast, and every writer's newest surge.
    package func checkTortureBallast() throws {
        for (writer, counter) in try tortureCounters().enumerated() {
            for age in 0..<TortureLayout.ballastCount {
                try checkTortureBallast(writer, counter, age: age)
            }
            for index in 0..<TortureLayout.surgeCount {
                try checkTortureSurge(writer, counter, index: index)
            }
        }
    }
}
