import Bulla
import BullaSimulation
import BullaTestSupport

/// Processes that share a log, do random things and can die, and the promises made to them.
struct SharedLogSession {
    let bench: SharedLogBench
    private var random: TestRandom
    private var living: [SharedLogBench.Member]
    /// All values that any process has tried to commit; no value occurs twice.
    private var attempted: Set<[UInt8]> = []
    /// The commits reported as durable, and the length of the disk's history at the time.
    private(set) var promises: [(eventCount: Int, commit: UInt64, value: [UInt8])] = []
    private(set) var trace: [String] = []

    init(_ kind: StoreKind, seed: UInt64) throws {
        bench = try SharedLogBench(kind, halfPageCount: 16)
        random = TestRandom(seed: seed)
        living = try bench.open(3)
    }

    mutating func work(steps: Int) throws {
        for _ in 0..<steps {
            do { try step() } catch {
                // Nothing here makes checkpoints, so the log fills up eventually.
                guard (error as? BullaError)?.code == .full else { throw error }
                return
            }
        }
    }

    private mutating func step() throws {
        let index = random.below(living.count)
        switch random.below(16) {
        case 0..<5: try put(index)
        case 5..<10: try keep(index)
        case 10: try mark(index)
        case 11: try bench.write(UInt64(random.pick([0, 5, 1 << 40])), at: 832)
        case 12: try replace(index)
        case 13: try fail(index, .write, random.pick([.half(5), .whole(5), .error(5)]))
        case 14: try fail(index, .write, .kill(isBefore: random.isOne(in: 2)))
        default: try fail(index, .flushRange, .kill(isBefore: random.isOne(in: 2)))
        }
        try agree()
    }

    private mutating func value() -> [UInt8] {
        let value = random.uniqueBytes(16 + random.below(random.pick([40, 400, 4000])))
        attempted.insert(value)
        return value
    }

    private mutating func put(_ index: Int) throws {
        trace.append("\(index) puts")
        try living[index].put(value())
    }

    private mutating func keep(_ index: Int) throws {
        trace.append("\(index) keeps")
        let value = value()
        let commit = try living[index].keep(value)
        promises.append((bench.disk.eventCount, commit, value))
    }

    private mutating func mark(_ index: Int) throws {
        trace.append("\(index) marks")
        bench.clock.go(.milliseconds(700))
        try living[index].log.markIfIdle()
    }

    /// A process dies, and another one starts.
    private mutating func replace(_ index: Int) throws {
        trace.append("\(index) dies")
        living[index].process.kill()
        living[index] = try bench.open()
    }

    /// Makes a commit with a fault planted, which may or may not occur.
    private mutating func fail(
        _ index: Int, _ call: DiskCall, _ effect: DiskFault.Effect
    ) throws {
        bench.disk.add(
            DiskFault(
                call, effect, after: random.below(2), nameEnd: "log",
                fromOffset: UInt64(PageFormat.preambleByteCount)))
        do { try keep(index) } catch {
            trace.append("failed: \(error)")
            guard (error as? BullaError)?.code != .full else { throw error }
        }
        bench.disk.clearFaults()
        if living[index].process.isDead { living[index] = try bench.open() }
    }

    /// Demands that all processes see the same commits, without a gap.
    private func agree() throws {
        let first = try living[0].known()
        for member in living {
            let known = try member.known()
            let common = Set(known.keys).intersection(first.keys)
            try demand(common.allSatisfy { known[$0] == first[$0] }, "two histories")
            try check(known)
        }
        for (_, commit, value) in promises.suffix(4) {
            try demand(first[commit] == value, "commit \(commit) is gone from the log")
        }
    }

    private func check(_ values: [UInt64: [UInt8]]) throws {
        try demand(
            values.isEmpty || Set(values.keys) == Set(2...UInt64(values.count + 1)),
            "a commit is missing between others")
        try demand(values.values.allSatisfy(attempted.contains), "a commit that nobody made")
        try demand(Set(values.values).count == values.count, "a commit that was made twice")
    }

    /// Cuts the power at some moments, and checks that everything promised is still there.
    mutating func crash(cutLimit: Int) throws -> Int {
        let history = bench.disk.history
        var replay = DiskReplay(from: bench.disk.base)
        var (imageCount, cutsLeft) = (0, cutLimit)
        let opened = promises.first?.eventCount ?? history.count
        for (index, event) in history.enumerated() {
            replay.apply(event)
            let cut = index + 1
            guard cut >= opened, random.below(history.count + 1 - cut) < cutsLeft else { continue }
            cutsLeft -= 1
            for choice in [.processDeath, .everything, .nothing, .sample(random.next())]
                as [CrashChoice]
            {
                imageCount += 1
                try Finding.within("cut \(cut) of \(history.count), \(choice)") {
                    try visit(replay.crashed(choice), cut)
                }
            }
        }
        return imageCount
    }

    private func visit(_ image: DiskImage, _ cut: Int) throws {
        let values = try SharedLogBench(bench.site, image).open().known()
        try check(values)
        for (eventCount, commit, value) in promises where eventCount <= cut {
            try demand(values[commit] == value, "commit \(commit) was durable, and is gone")
        }
    }
}
