import Bulla
import BullaSimulation
import BullaTestSupport

/// Random events in a session.
extension Session {
    private static let treeNames = ["a", "b", "c"].map { Array($0.utf8) }

    /// Does this many random things, most of which are transactions.
    mutating func work(steps: Int, allowsFailedFlush: Bool = false) throws {
        if opened.isEmpty { try open() }
        for _ in 0..<steps { try step(allowsFailedFlush: allowsFailedFlush) }
    }

    private mutating func step(allowsFailedFlush: Bool) throws {
        let index = random.below(opened.count)
        switch random.below(24) {
        case 0: if opened.count < 2 { try open() } else { try close(index) }
        case 1: try reopen()
        case 2: try look(opened[index])
        case 3: try opened[index].beginSnapshot()
        case 4: try opened[index].endSnapshot()
        case 5 where random.isOne(in: 2):
            killAll()
            try open()
        case 6 where allowsFailedFlush: try fail(random.pick(WriteBackFailure.allCases))
        case 7: try checkpoint(index)
        default: try transaction(index)
        }
    }

    /// Makes the trees take over the log; after that, nothing of it is lost.
    mutating func checkpoint(_ index: Int) throws {
        note("checkpoint by \(index)")
        _ = try opened[index].store.checkpoint()
        timeline.acknowledge(at: disk.eventCount)
    }

    mutating func transaction(_ index: Int) throws {
        let relaxed = Durability.relaxed(within: .seconds(20))
        try transaction(index, random.pick([.full, .full, .full, relaxed, relaxed, .full]))
    }

    mutating func transaction(_ index: Int, _ durability: Durability) throws {
        var next = current
        next.commit += 1
        var change = try opened[index].store.beginWrite(durability: durability)
        let count = random.pick([1, 2, 3, 8, 40])
        note("write \(count) \(durability) by \(index) as commit \(next.commit)")
        for _ in 0..<count { try edit(&change, &next) }
        guard !random.isOne(in: 12) else { return note("abort") }
        timeline.begin(next, at: disk.eventCount)
        try finish(try change.commit(), next, durability)
    }

    mutating func finish(
        _ commit: UInt64, _ next: Version, _ durability: Durability
    ) throws {
        if commit == next.commit {
            current = next
        } else {
            timeline.withdraw()
            try demand(
                commit == current.commit && next.trees == current.trees,
                "commit \(commit) came of changes to commit \(current.commit)")
        }
        if case .relaxed = durability { return }
        timeline.acknowledge(at: disk.eventCount)
    }

    private mutating func edit(_ change: inout WriteTransaction, _ next: inout Version) throws {
        let name = random.pick(Self.treeNames)
        if random.isOne(in: 60) {
            let isDropped = try change.dropTree(named: name)
            try demand(isDropped == (next.trees[name] != nil), "dropTree of a tree")
            next.trees[name] = nil
            return
        }
        let tree = try change.openOrCreateTree(named: name)
        let key = Array("key \(random.below(50))".utf8)
        guard random.isOne(in: 4) else {
            let value = makeValue()
            try change.put(value, forKey: key, in: tree)
            next.trees[name, default: [:]][key] = value
            return
        }
        let isDeleted = try change.deleteIfPresent(key, in: tree)
        let former = next.trees[name, default: [:]].removeValue(forKey: key)
        try demand(isDeleted == (former != nil), "delete of a key")
    }

    private mutating func makeValue() -> [UInt8] {
        let page = configuration.pageByteCount
        let count = random.pick([5, 30, 100, 300, 900, random.isOne(in: 8) ? page * 5 / 2 : 400])
        let word = UInt8(truncatingIfNeeded: random.next())
        return (0..<count).map { word &+ UInt8(truncatingIfNeeded: $0 / 7) }
    }

    /// Makes a flush fail once: all processes learn of it, and none goes on before all have closed.
    ///
    /// - Parameters:
    ///   - isScribbled: whether an outsider overwrites the word that tells them; each then learns
    ///     of the failure only when it flushes, and the process that learnt of it first does not
    ///     forget it.
    mutating func failFlush(isScribbled: Bool = false) throws {
        let struckCount = disk.struckFaultCount
        note("fail a flush")
        disk.add(.anyFlush(.error(5), after: random.below(2)))
        var told = 0
        for _ in 0..<8 where disk.struckFaultCount == struckCount {
            told = random.below(opened.count)
            do {
                try transaction(told, .full)
            } catch let error as BullaError {
                try demand(
                    error.code == .io || error.code == .poisoned,
                    "a failed flush gave \(error)")
                guard disk.struckFaultCount > struckCount else { throw error }
            }
        }
        disk.clearFaults()
        guard disk.struckFaultCount > struckCount else { return }
        if isScribbled {
            try scribbleOverPoison()
            try expectPoison(opened[told])
            return try leaveAndComeBack()
        }
        try expectPoison()
        while let one = opened.popLast() {
            try one.endSnapshot()
            try one.store.close()
        }
        try open()
    }

    /// Demands that no process can write, and that no further process can open the store.
    func expectPoison() throws {
        for one in opened { try expectPoison(one) }
        let error = refusal { _ = try configuration.open(SimulatedProcess(disk)) }
        try demand(error?.code == .poisoned, "opening a poisoned store gave \(error as Any)")
    }

    func expectPoison(_ one: OpenedStore) throws {
        let error = refusal {
            try one.store.write { _ = try $0.openOrCreateTree(named: "poisoned") }
        }
        try demand(
            error?.code == .poisoned, "a write after a failed flush gave \(error as Any)")
    }
}

/// The library's error from an attempt; `nil` if it succeeds.
func refusal(_ body: () throws -> Void) -> BullaError? {
    do {
        try body()
        return nil
    } catch { return error as? BullaError }
}
