import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// Damages what a mark calls durable, sector by sector.
enum LogDamage {
    /// - Returns: the number of places in which damage was reported.
    @discardableResult
    static func search(_ kind: StoreKind, seed: UInt64) throws -> Int {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        let session = try LogSession(scene, disk, seed: seed)
        for _ in 0..<8 { try session.commit() }
        try session.flush()
        try session.mark()
        try session.commit()
        let whole = DiskReplay.now(disk)
        var count = 0
        for offset in stride(from: 5, to: session.durable.place.offset, by: 256) {
            let place = LogPlace(sequence: 0, offset: offset)
            if try isReported(scene, whole, scene.offset(of: place), session) { count += 1 }
        }
        return count
    }

    /// Whether a changed bit is reported; if not, every durable commit must still be there.
    private static func isReported(
        _ scene: LogScene, _ image: DiskImage, _ offset: Int, _ former: LogSession
    ) throws -> Bool {
        var image = image
        guard let number = image.names[LogScene.path] else { throw Finding("there is no file") }
        image.files[number]?.bytes[offset] ^= 4
        do {
            let session = try LogSession(
                scene, try SimulatedDisk(image), seed: 1, known: former.written)
            try demand(
                session.end.commit >= former.durable.commit,
                "a log was cut at commit \(session.end.commit), and nobody was told")
            return false
        } catch let error as BullaError {
            try demand(error.code == .corrupted, "\(error)")
            return true
        }
    }
}

@Suite struct `Damage to a log` {
    @Test(arguments: StoreKind.allCases)
    func `that cuts off what was durable is reported`(kind: StoreKind) throws {
        #expect(try LogDamage.search(kind, seed: 3) > 4)
    }

    @Test func `to both marks is reported`() throws {
        let scene = try LogScene(.gcm)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        for slot in 0..<LogMarks.slotCount {
            try disk.overwrite(
                LogScene.path, with: [0xFF], at: LogMarks.offset(slot: slot) + 40)
        }
        let error = #expect(throws: BullaError.self) { _ = try LogSession(scene, disk, seed: 1) }
        #expect(error?.code == .corrupted)
    }

    /// The new half's header says that the old half's last commit was durable.
    @Test(arguments: StoreKind.allCases)
    func `at the end of a former half is told by the half that follows`(kind: StoreKind) throws {
        let (scene, disk, session) = try Self.switched(kind, flushing: true)
        let last = LogPlace(sequence: 0, offset: session.former.place.offset - 40)
        try disk.overwrite(
            LogScene.path, with: [UInt8](repeating: 1, count: 40),
            at: UInt64(scene.offset(of: last)))
        session.session.process.kill()
        let error = #expect(throws: BullaError.self) { _ = try LogSession(scene, disk, seed: 9) }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("half 0") == true)
    }

    /// The new half's header names a frame that was never durable, and so guarantees nothing.
    @Test(arguments: StoreKind.allCases)
    func `is not taken for one where the former half's end was not durable`(
        kind: StoreKind
    ) throws {
        let (scene, disk, session) = try Self.switched(kind, flushing: false)
        let last = LogPlace(sequence: 0, offset: session.former.place.offset - 40)
        try disk.overwrite(
            LogScene.path, with: [UInt8](repeating: 1, count: 40),
            at: UInt64(scene.offset(of: last)))
        session.session.process.kill()
        let again = try LogSession(scene, disk, seed: 9)
        #expect(again.end.commit == session.former.commit - 1)
    }

    private static func switched(_ kind: StoreKind, flushing: Bool) throws -> (
        LogScene, SimulatedDisk, (session: LogSession, former: LogPosition)
    ) {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        let session = try LogSession(scene, disk, seed: 4)
        var former = session.end
        while session.end.place.sequence == 0 {
            former = session.end
            if flushing { try session.flush() }
            try session.append(LogContent(values: [[UInt8](repeating: 3, count: 500)]))
        }
        return (scene, disk, (session, former))
    }
}
