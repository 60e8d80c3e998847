import Bulla
import BullaCipher
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `The marks of a log` {
    private static func position(_ commit: UInt64) -> LogPosition {
        LogPosition(
            place: LogPlace(sequence: 3, offset: 9000), segment: 4096, tag: .none, commit: commit)
    }

    private static func begin(_ kind: StoreKind) throws -> (LogScene, SimulatedDisk) {
        let (scene, disk) = (try LogScene(kind), try SimulatedDisk())
        try scene.make(SimulatedProcess(disk))
        return (scene, disk)
    }

    @Test(arguments: StoreKind.allCases)
    func `are written in turn, and the newest counts`(kind: StoreKind) throws {
        let (scene, disk) = try Self.begin(kind)
        let file = try SimulatedProcess(disk).open(LogScene.path, .writing)
        let handle = try file.openFlushHandle()
        var marks = scene.marks(file)
        for commit in UInt64(5)...7 {
            try marks.write(Self.position(commit), through: handle)
            #expect(try marks.newest() == Self.position(commit))
        }
        #expect(try Set(marks.read().map { $0?.commit }) == [6, 7])
        let eventCount = disk.eventCount
        try marks.write(Self.position(7), through: handle)
        #expect(disk.eventCount == eventCount)
    }

    @Test(arguments: StoreKind.allCases)
    func `are overwritten only by a process that flushed the newest`(
        kind: StoreKind
    ) throws {
        let (scene, disk) = try Self.begin(kind)
        let dying = SimulatedProcess(disk)
        let file = try dying.open(LogScene.path, .writing)
        var marks = scene.marks(file)
        try marks.write(Self.position(4), through: file.openFlushHandle())
        disk.add(DiskFault(.flushRange, .kill(isBefore: true)))
        let handle = try file.openFlushHandle()
        #expect(throws: BullaError.self) {
            try marks.write(Self.position(5), through: handle)
        }
        let other = try SimulatedProcess(disk).open(LogScene.path, .writing)
        var others = scene.marks(other)
        let start = disk.eventCount
        try others.write(Self.position(6), through: other.openFlushHandle())
        let kinds = disk.history[start...].map { event in
            if case .write = event { "write" } else { "flush" }
        }
        #expect(kinds == ["write", "flush", "write", "flush"])
        #expect(try others.newest() == Self.position(6))
        // The same process's second mark needs no flush of the first.
        try others.write(Self.position(7), through: other.openFlushHandle())
        #expect(disk.eventCount == start + 6)
    }

    @Test(arguments: StoreKind.allCases)
    func `hold in their slot, file and history alone`(kind: StoreKind) throws {
        let (scene, disk) = try Self.begin(kind)
        let file = try SimulatedProcess(disk).open(LogScene.path, .writing)
        var marks = scene.marks(file)
        try marks.write(Self.position(5), through: file.openFlushHandle())
        let bytes = try #require(DiskReplay.now(disk).bytes(of: LogScene.path))
        let newest = try marks.read()[0]?.commit == 5 ? 0 : 1
        let place = Int(LogMarks.offset(slot: newest))
        let mark = Array(bytes[place..<place + LogMarkField.byteCount])
        try disk.overwrite(LogScene.path, with: mark, at: LogMarks.offset(slot: 1 - newest))
        #expect(try marks.read()[1 - newest] == nil)
        for index in mark.indices {
            var changed = mark
            changed[index] ^= 1
            try disk.overwrite(
                LogScene.path, with: changed, at: LogMarks.offset(slot: newest))
            #expect(try marks.read()[newest] == nil, "byte \(index)")
        }
        let other = try LogScene(kind)
        if kind != .plain { #expect(try other.marks(file).newest() == nil) }
    }
}
