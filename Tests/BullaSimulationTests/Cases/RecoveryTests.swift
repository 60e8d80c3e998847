import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// Recovery, and the states that it must handle.
@Suite struct `Recovery` {
    @Test(
        "4. A crash at any write of recovery leaves what recovery would have found",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 40)))
    func crashed(seed: UInt64) throws {
        let configuration = Configuration.of(seed: seed)
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(configuration, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { try $0.work(steps: 16) }
            var random = TestRandom(seed: seed)
            var explorer = Explorer(configuration, seed: seed)
            for _ in 0..<TestMode.pick(short: 4, long: 30) {
                try crashRecovery(session, &random, &explorer)
            }
            #expect(explorer.imageCount > 20)
        }
    }

    /// Cuts the power, recovers, and crashes the recovery after each of its events.
    private func crashRecovery(
        _ session: Session, _ random: inout TestRandom, _ explorer: inout Explorer
    ) throws {
        let history = session.disk.history
        var replay = DiskReplay(from: session.disk.base)
        // Skip the beginning, where the store is made and its folder is flushed.
        let cut = history.count / 3 + random.below(history.count * 2 / 3)
        for event in history[..<cut] { replay.apply(event) }
        let choice = CrashChoice.sample(random.next())
        try Finding.within("cut \(cut), \(choice)") {
            let disk = try SimulatedDisk(replay.crashed(choice))
            var first = Session(
                session.configuration, disk, session.timeline.allowed(at: cut), seed: 1)
            defer { first.end() }
            try first.open()
            first.timeline = Timeline(
                Timeline.Allowed(isMissingAllowed: false, versions: [first.current]))
            try explorer.explore(first, Explorer.Plan(cutLimit: .max, sampleCount: 2))
        }
    }

    @Test(
        "5. Commits stacked without a flush, then a power cut, leave the durable one whole",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 40)))
    func stacked(seed: UInt64) throws {
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(.usual, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.open()
                // Make free pages first, so that there are some that could be reused wrongly.
                for _ in 0..<10 { try session.transaction(0, .full) }
                for _ in 0..<4 { try session.transaction(0, .relaxed(within: .seconds(20))) }
            }
            var explorer = Explorer(.usual, seed: seed)
            let plan = Explorer.Plan(
                cutLimit: TestMode.pick(short: 8, long: .max), sampleCount: 3)
            try explorer.explore(session, plan, lastEvents: 16)
        }
    }

    @Test("A store whose maker died before its name was durable keeps its name once opened")
    func unnamed() throws {
        let maker = try SimulatedDisk()
        maker.add(DiskFault(.flushNames, .kill(isBefore: true)))
        #expect(refusal { _ = try Configuration.usual.open(SimulatedProcess(maker)) } != nil)
        var cached = DiskReplay(from: maker.base)
        for event in maker.history { cached.apply(event) }
        let disk = try SimulatedDisk(cached.crashed(.processDeath))
        let store = try Configuration.usual.open(SimulatedProcess(disk))
        try store.write { try $0.openOrCreateTree(named: "a") }
        var replay = DiskReplay(from: disk.base)
        for event in disk.history { replay.apply(event) }
        disk.switchOff()
        #expect(replay.crashed(.nothing).names[Configuration.path] != nil)
    }

    @Test("4. A meta slot that confirms, unflushed, is flushed before the other is written over")
    func unflushedClose() throws { try UnflushedClose.crash() }

    @Test(
        "9. A file whose end is given back is long enough for whatever a crash leaves",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 20)))
    func cut(seed: UInt64) throws {
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(.cutting, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.open()
                for _ in 0..<2 {
                    try session.putLarge(pageCount: 50, .full)
                    try session.giveUpLarge(pageCount: 60)
                    try session.reopen()
                }
            }
            #expect(session.disk.history.contains { if case .cut = $0 { true } else { false } })
            var explorer = Explorer(.cutting, seed: seed)
            try explorer.explore(
                session,
                Explorer.Plan(cutLimit: TestMode.pick(short: 20, long: .max), sampleCount: 1))
        }
    }

    @Test(
        "9. A file whose free pages at the end are given up has the commit before or the same",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 20)))
    func givenUp(seed: UInt64) throws {
        var configuration = Configuration.of(seed: seed + 4)
        (configuration.freeTailByteLimit, configuration.tailByteLimit) = (0, 0)
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(configuration, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.open()
                for _ in 0..<4 { try session.putLarge(pageCount: 40, .full) }
                try session.dropLarge()
                // Closing makes up to three commits, which change no stored data.
                for number in 1...3 {
                    var next = session.current
                    next.commit += UInt64(number)
                    session.timeline.begin(next, at: session.disk.eventCount)
                }
                let commit = session.current.commit
                try session.close(0, mayCommit: 3)
                #expect(session.current.commit > commit)
            }
            #expect(session.disk.history.contains { if case .cut = $0 { true } else { false } })
            // When the explorer closes the store again, closing must not make commits by itself.
            var plain = configuration
            plain.freeTailByteLimit = .max
            session = session.configured(plain)
            var explorer = Explorer(plain, seed: seed)
            try explorer.explore(
                session,
                Explorer.Plan(cutLimit: TestMode.pick(short: 20, long: .max), sampleCount: 1),
                lastEvents: 60)
        }
    }

    @Test("9. A file whose writer died as it grew is flushed before pages are written there")
    func grownByDead() throws {
        // An encrypted store flushes before it seals its first page, whatever the file's length.
        let plain = Configuration(suite: nil, pageByteCount: 4096)
        var first = Session(plain, try SimulatedDisk(), seed: 1)
        defer { first.end() }
        try first.open()
        first.disk.add(DiskFault(.flush, .kill(isBefore: true)))
        #expect(refusal { try first.putLarge(pageCount: 50, .full) } != nil)
        #expect(first.growthCount > 1)
        var replay = DiskReplay(from: first.disk.base)
        for event in first.disk.history { replay.apply(event) }
        let allowed = first.timeline.allowed(at: first.disk.eventCount)
        var next = Session(
            plain, try SimulatedDisk(replay.crashed(.processDeath)), allowed, seed: 2)
        defer { next.end() }
        try next.open()
        try next.putLarge(pageCount: 50, .full)
        #expect(GrowthAudit.offences(next.disk).isEmpty)
    }

    @Test(
        "9. A file grown without its meta page, or a meta page without its growth, opens whole",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 20)))
    func grown(seed: UInt64) throws {
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(.usual, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.open()
                while session.growthCount < 3 {
                    try session.putLarge(pageCount: 50, .relaxed(within: .seconds(20)))
                    try session.transaction(0, .full)
                }
            }
            var explorer = Explorer(.usual, seed: seed)
            try explorer.explore(
                session,
                Explorer.Plan(cutLimit: TestMode.pick(short: 10, long: .max), sampleCount: 2))
        }
    }
}
