import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport

/// A world that appends to a log on a simulated disk, and everything that it has promised.
///
/// It stands for the processes of one world, one after the other: each can die, and the next goes
/// on.
final class LogSession {
    let scene: LogScene
    let disk: SimulatedDisk
    private(set) var process: SimulatedProcess
    private(set) var file: any StorageFile
    private(set) var handle: any FlushHandle
    private var marks: LogMarks
    private var appender: LogAppender
    private var draft: LogDraft
    private var random: TestRandom
    private let world: Identifier

    /// The possible contents of each commit; one whose write has failed can have several.
    private(set) var written: [UInt64: Set<LogContent>]
    /// What the world has announced; the word that says so is only a hint.
    private(set) var announced: LogPosition
    /// The position in the durable record.
    private(set) var durable: LogPosition
    /// The position in both metas, and in the checkpoint's record.
    private(set) var record: LogPosition
    /// Each change of the promised commit, with the length of the disk's history at that moment.
    private(set) var timeline: [(eventCount: Int, promised: UInt64)] = []
    private(set) var trace: [String] = []

    /// Opens the file as its only process, and recovers.
    ///
    /// - Parameter known: the possible contents of commits.
    init(
        _ scene: LogScene, _ disk: SimulatedDisk, seed: UInt64,
        known: [UInt64: Set<LogContent>] = [:]
    ) throws {
        self.scene = scene
        self.disk = disk
        random = TestRandom(seed: seed)
        world = Identifier(high: random.next(), low: 1)
        process = SimulatedProcess(disk)
        file = try process.open(LogScene.path, .writing)
        handle = try file.openFlushHandle()
        marks = scene.marks(file)
        draft = try LogDraft(partByteLimit: 700)
        let metas = [try MetaStandIn.read(0, file), try MetaStandIn.read(1, file)]
        guard let start = metas.compactMap({ $0 }).max(by: { $0.commit < $1.commit }) else {
            throw Finding("neither meta verifies")
        }
        let collector = LogCollector()
        let log = scene.log(file)
        let replay = try LogRecovery(
            log, scene.keys, from: start, mark: try marks.newest(), collector)
        try MetaStandIn.writeBoth(start, file, handle)
        try replay.writeAgain(through: handle)
        if let failure = collector.failure { throw failure }
        (record, durable, announced) = (start, replay.end, replay.end)
        written = known.filter { $0.key <= start.commit }
        for (number, content) in collector.commits {
            if let known = known[number] {
                try demand(known.contains(content), "commit \(number) says what nobody wrote")
            } else {
                try demand(known.isEmpty, "commit \(number) comes out of nowhere")
            }
            written[number] = [content]
        }
        appender = try LogAppender(log, scene.keys, world: world, after: replay.follower)
        timeline = [(disk.eventCount, durable.commit)]
    }

    /// The newest commit that had been reported as durable when the history had this many events.
    func promised(at eventCount: Int) -> UInt64 {
        timeline.last { $0.eventCount <= eventCount }?.promised ?? 0
    }

    var end: LogPosition { appender.position }

    func work(steps: Int) throws {
        for _ in 0..<steps {
            switch random.below(16) {
            case 0..<7: try commit()
            case 7..<11:
                try commit()
                try flush()
            case 11: try flush()
            case 12: try mark()
            case 13: try checkpoint()
            case 14: try fail()
            default: try handOver()
            }
        }
    }

    /// Commits without a flush.
    func commit() throws {
        try append(.drawn(appender.position.commit + 1, &random))
    }

    func append(_ content: LogContent) throws {
        trace.append("commit \(appender.position.commit + 1)")
        try content.write(&draft)
        if appender.needsCheckpoint(draft, oldest: record.place.sequence) {
            try flush()
            try checkpoint()
        }
        written[appender.position.commit + 1, default: []].insert(content)
        let end = try appender.append(draft, durable: durable, oldest: record.place.sequence)
        guard let end else { throw BullaError(.full, "the log waits for a checkpoint") }
        announced = end
    }

    /// Flushes what was announced, and wakes the waiters.
    func flush() throws {
        trace.append("flush")
        let verified = announced
        try scene.log(file).flush(
            from: durable.place, to: verified.place, through: handle)
        durable = verified
        timeline.append((disk.eventCount, durable.commit))
    }

    func mark() throws {
        trace.append("mark \(durable.commit)")
        try marks.write(durable, through: handle)
    }

    /// Acts as if everything durable had been merged, as far as the log can see.
    func checkpoint() throws {
        trace.append("checkpoint \(durable.commit)")
        try MetaStandIn.writeBoth(durable, file, handle)
        record = durable
    }

    /// Makes the write of a commit fail after half or all of it, or kills the process after it;
    /// then goes on.
    private func fail() throws {
        let effect = random.pick([DiskFault.Effect.half(5), .whole(5), .kill(isBefore: false)])
        disk.add(DiskFault(.write, effect, after: random.below(2)))
        do { try commit() } catch {
            trace.append("failed: \(error)")
            try catchUp()
        }
        disk.clearFaults()
    }

    /// The process dies, and another one of the same world goes on.
    func handOver() throws {
        trace.append("hand over")
        process.kill()
        try catchUp()
    }

    /// Follows the log to its end as the next writer, which may not know all that was announced.
    private func catchUp() throws {
        disk.clearFaults()
        if process.isDead {
            process = SimulatedProcess(disk)
            file = try process.open(LogScene.path, .writing)
            handle = try file.openFlushHandle()
            marks = scene.marks(file)
        }
        let collector = LogCollector()
        let log = scene.log(file)
        var follower = try LogFollower(log, scene.keys, at: record)
        let hint = random.isOne(in: 2) ? announced.commit : record.commit
        let place = record
        let isThere = try follower.catchUp(
            announced: hint, durable: durable.commit, collector, isSteady: true
        ) { () throws(BullaError) in place }
        try demand(isThere, "a follower that nobody overtakes was overtaken")
        try demand(
            follower.position.commit >= announced.commit,
            "commit \(announced.commit) was announced, the log ends at "
                + "\(follower.position.commit)")
        for (number, content) in collector.commits {
            try demand(
                written[number]?.contains(content) == true,
                "commit \(number) says what nobody wrote")
            written[number] = [content]
        }
        appender = try LogAppender(log, scene.keys, world: world, after: follower)
        announced = follower.position
    }
}
