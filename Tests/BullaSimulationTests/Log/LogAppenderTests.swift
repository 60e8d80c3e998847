import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `Appending to a log` {
    private static func begin(_ kind: StoreKind) throws -> LogSession {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        return try LogSession(scene, disk, seed: 11)
    }

    private static func read(_ session: LogSession) throws -> LogCollector {
        let collector = LogCollector()
        var follower = try LogFollower(
            session.scene.log(session.file), session.scene.keys, at: session.record)
        _ = try follower.follow(to: .max, collector)
        return collector
    }

    private static func content(_ byte: UInt8, count: Int = 100) -> LogContent {
        LogContent(values: [[UInt8](repeating: byte, count: count)])
    }

    @Test(arguments: StoreKind.allCases)
    func `goes on where a write has failed and the whole frame stands there`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        session.disk.add(DiskFault(.write, .whole(5)))
        try session.append(Self.content(2))
        try session.append(Self.content(3))
        #expect(try Self.read(session).commits[3] == Self.content(2))
        #expect(try Self.read(session).commits[4] == Self.content(3))
    }

    @Test(arguments: StoreKind.allCases)
    func `writes over what is left of a write that has failed`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        session.disk.add(DiskFault(.write, .half(5)))
        #expect(throws: BullaError.self) { try session.append(Self.content(2)) }
        #expect(try Self.read(session).commits.count == 1)
        try session.handOver()
        try session.append(Self.content(4))
        #expect(try Self.read(session).commits[3] == Self.content(4))
    }

    @Test(arguments: StoreKind.allCases)
    func `a commit of several parts is one only with its last`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        let long = LogContent(values: (1...4).map { [UInt8](repeating: $0, count: 600) })
        try session.append(Self.content(1))
        session.disk.add(DiskFault(.write, .half(5), after: 3))
        #expect(throws: BullaError.self) { try session.append(long) }
        #expect(try Self.read(session).commits.count == 1)
        try session.handOver()
        try session.append(long)
        let commits = try Self.read(session).commits
        #expect(commits.count == 2 && commits[3] == long)
    }

    @Test(arguments: StoreKind.allCases)
    func `says that it needs a checkpoint, writes nothing, and has room for a root`(
        kind: StoreKind
    ) throws {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        let file = try SimulatedProcess(disk).open(LogScene.path, .writing)
        let log = scene.log(file)
        var draft = try LogDraft()
        try Self.content(1, count: 900).write(&draft)
        let start = LogPosition.beginning(after: 1)
        let follower = try LogFollower(log, scene.keys, at: start)
        var appender = try LogAppender(
            log, scene.keys, world: Identifier(high: 1, low: 1), after: follower)
        while !appender.needsCheckpoint(draft, oldest: 0) {
            _ = try appender.append(draft, durable: start, oldest: 0)
        }
        #expect(appender.position.place.sequence == 1)
        let (eventCount, commit) = (disk.eventCount, appender.position.commit)
        // Another world must begin a segment first.
        var again = try LogFollower(log, scene.keys, at: start)
        #expect(try again.follow(to: .max, LogCollector()) == .end(.notNext))
        var other = try LogAppender(
            log, scene.keys, world: Identifier(high: 2, low: 2), after: again)
        #expect(try other.append(draft, durable: start, oldest: 0) == nil)
        #expect(disk.eventCount == eventCount)
        var root = try LogDraft()
        var record = CommitRecord(history: scene.keys.identity.history)
        record.commit = commit + 1
        try root.append(record)
        #expect(try other.append(root, durable: start, oldest: 0)?.commit == commit + 1)
        let collector = LogCollector()
        _ = try again.follow(to: .max, collector)
        #expect(collector.roots == [commit + 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `begins a segment for each world, with zeros where the former would go on`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        try session.flush()
        let end = session.end
        session.process.kill()
        let next = try LogSession(session.scene, session.disk, seed: 5, known: session.written)
        try next.append(Self.content(2))
        #expect(next.end.segment == 8192)
        let bytes = try #require(DiskReplay.now(session.disk).bytes(of: LogScene.path))
        let gap = session.scene.offset(of: end.place)
        #expect(bytes[gap..<gap + 100].allSatisfy { $0 == 0 })
        #expect(try Self.read(next).commits.count == 2)
    }
}
