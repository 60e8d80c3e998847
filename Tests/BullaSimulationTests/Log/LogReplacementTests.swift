import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

/// An attacker who can write the file restores earlier bytes of it, or inserts those of a copy.
@Suite struct `Bytes of a log put in place of others` {
    private static func content(_ byte: UInt8) -> LogContent {
        LogContent(values: [[UInt8](repeating: byte, count: 600)])
    }

    private static func bytes(_ disk: SimulatedDisk) throws -> [UInt8] {
        try #require(DiskReplay.now(disk).bytes(of: LogScene.path))
    }

    /// Puts the bytes of a file's first half, or of both its halves, into another file.
    private static func put(
        _ bytes: [UInt8], into disk: SimulatedDisk, _ scene: LogScene, halfCount: Int
    ) throws {
        for half in scene.halves.prefix(halfCount) {
            for run in half.runs {
                let start = Int(run.start) * 4096
                let part = Array(bytes[start..<start + Int(run.count) * 4096])
                try disk.overwrite(LogScene.path, with: part, at: UInt64(start))
            }
        }
    }

    private static func expectDamage(_ scene: LogScene, _ disk: SimulatedDisk) {
        let error = #expect(throws: BullaError.self) { _ = try LogSession(scene, disk, seed: 3) }
        #expect(error?.code == .corrupted)
    }

    @Test(arguments: StoreKind.allCases)
    func `are no log where they are of an earlier use of the half`(kind: StoreKind) throws {
        let (scene, disk) = (try LogScene(kind), try SimulatedDisk())
        try scene.make(SimulatedProcess(disk))
        let session = try LogSession(scene, disk, seed: 1)
        for byte in 1...6 { try session.append(Self.content(UInt8(byte))) }
        let former = try Self.bytes(disk)
        while session.end.place.sequence < 2 { try session.append(Self.content(1)) }
        try session.append(Self.content(2))
        try session.flush()
        try session.mark()
        session.process.kill()
        try Self.put(former, into: disk, scene, halfCount: 1)
        Self.expectDamage(scene, disk)
    }

    @Test(arguments: StoreKind.allCases)
    func `are no log where they are of a copy that went its own way`(kind: StoreKind) throws {
        let (scene, disk) = (try LogScene(kind), try SimulatedDisk())
        try scene.make(SimulatedProcess(disk))
        let session = try LogSession(scene, disk, seed: 1)
        try session.append(Self.content(1))
        try session.flush()
        let image = DiskReplay.now(disk)
        let copy = try SimulatedDisk(image)
        let other = try LogSession(scene, copy, seed: 2, known: session.written)
        for byte in 2...5 { try other.append(Self.content(UInt8(byte))) }
        try other.flush()
        session.process.kill()
        let own = try LogSession(scene, disk, seed: 4, known: session.written)
        for byte in 6...8 { try own.append(Self.content(UInt8(byte))) }
        try own.flush()
        try own.mark()
        own.process.kill()
        // The copy's log reaches beyond the mark, but with other commits.
        try Self.put(Self.bytes(copy), into: disk, scene, halfCount: 2)
        Self.expectDamage(scene, disk)
    }
}
