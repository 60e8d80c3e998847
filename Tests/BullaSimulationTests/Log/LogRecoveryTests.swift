import Bulla
import BullaCipher
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `Recovering a log` {
    private static func begin(_ kind: StoreKind) throws -> LogSession {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        return try LogSession(scene, disk, seed: 31)
    }

    private static func content(_ byte: UInt8) -> LogContent {
        LogContent(values: [[UInt8](repeating: byte, count: 300)])
    }

    @Test(arguments: StoreKind.allCases)
    func `writes again what lies after the newest commit known durable, and reads alone else`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        try session.flush()
        let place = session.durable.place
        // The next frame says that the commit before it was durable.
        for byte in 2...4 { try session.append(Self.content(UInt8(byte))) }
        let eventCount = session.disk.eventCount
        let replay = try LogRecovery(
            session.scene.log(session.file), session.scene.keys, from: session.record,
            mark: try session.scene.marks(session.file).newest(), LogCollector())
        #expect(replay.durable == 2)
        #expect(replay.end == session.end)
        #expect(replay.doubtful.map(\.sequence) == [0])
        #expect(replay.doubtful.map(\.bytes) == [place.offset..<session.end.place.offset])
        #expect(session.disk.eventCount == eventCount)
        let handle = try session.file.openFlushHandle()
        try replay.writeAgain(through: handle)
        var after = DiskReplay(from: session.disk.base)
        for event in session.disk.history { after.apply(event) }
        let bytes = after.crashed(.nothing).bytes(of: LogScene.path)
        #expect(bytes == DiskReplay.now(session.disk).bytes(of: LogScene.path))
    }

    @Test(arguments: StoreKind.allCases)
    func `refuses a log that has another commit than its mark`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        var mark = session.end
        mark.tag = .none
        let error = #expect(throws: BullaError.self) {
            _ = try LogRecovery(
                session.scene.log(session.file), session.scene.keys, from: session.record,
                mark: mark, LogCollector())
        }
        #expect(error?.code == .corrupted)
    }

    @Test(arguments: StoreKind.allCases)
    func `passes on an error of reading, and never takes it for the end`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        session.disk.add(
            DiskFault(.read, .error(5), fromOffset: UInt64(PageFormat.preambleByteCount)))
        let error = #expect(throws: BullaError.self) {
            _ = try LogRecovery(
                session.scene.log(session.file), session.scene.keys, from: session.record,
                mark: session.record, LogCollector())
        }
        #expect(error?.code == .io)
    }
}
