import Bulla
import BullaCipher
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `Following a log` {
    private static func begin(_ kind: StoreKind) throws -> LogSession {
        let scene = try LogScene(kind)
        let disk = try SimulatedDisk()
        try scene.make(SimulatedProcess(disk))
        return try LogSession(scene, disk, seed: 21)
    }

    /// A follower in a process of its own.
    private static func follower(_ session: LogSession) throws -> LogFollower {
        let file = try SimulatedProcess(session.disk).open(LogScene.path, .reading)
        return try LogFollower(session.scene.log(file), session.scene.keys, at: session.record)
    }

    private static func content(_ byte: UInt8) -> LogContent {
        LogContent(values: [[UInt8](repeating: byte, count: 400)])
    }

    @Test(arguments: StoreKind.allCases)
    func `stops where it is told`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        for byte in 1...3 { try session.append(Self.content(UInt8(byte))) }
        var follower = try Self.follower(session)
        let collector = LogCollector()
        #expect(try follower.follow(to: 3, collector) == .reached)
        #expect(collector.commits.keys.sorted() == [2, 3])
        #expect(try follower.follow(to: .max, collector) == .end(.notNext))
        #expect(follower.position == session.end)
    }

    @Test(arguments: StoreKind.allCases)
    func `goes on across segments and halves`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        var follower = try Self.follower(session)
        let collector = LogCollector()
        var byte: UInt8 = 0
        while session.end.place.sequence < 3 {
            byte &+= 1
            try session.append(Self.content(byte))
            if byte % 16 == 0 { try session.handOver() }
            #expect(try follower.follow(to: session.announced.commit, collector) == .reached)
            #expect(collector.commits[session.end.commit] == Self.content(byte))
        }
        #expect(follower.position == session.end)
    }

    @Test(arguments: StoreKind.allCases)
    func `gives a commit again that was not taken`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        for byte in 1...3 { try session.append(Self.content(UInt8(byte))) }
        var follower = try Self.follower(session)
        let collector = LogCollector()
        collector.isRefusing = true
        #expect(throws: BullaError.self) { try follower.follow(to: .max, collector) }
        #expect(follower.position.commit == 1)
        #expect(try follower.follow(to: .max, collector) == .end(.notNext))
        #expect(collector.commits.keys.sorted() == [2, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func `stands where it stood if nobody will begin anew`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        var follower = try Self.follower(session)
        let former = follower.position
        while session.end.place.sequence < 2 { try session.append(Self.content(1)) }
        let (collector, record) = (LogCollector(), session.record)
        func reach() throws -> Bool {
            try follower.reach(session.end.commit, collector, isSteady: false) {
                () throws(BullaError) in record
            }
        }
        collector.isRefusing = true
        #expect(throws: BullaError.self) { try reach() }
        #expect(follower.position == former && collector.beginCount == 0)
        #expect(try reach())
        #expect(follower.position == session.end && collector.beginCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `tells being overtaken from the end, and begins anew`(kind: StoreKind) throws {
        let session = try Self.begin(kind)
        var follower = try Self.follower(session)
        while session.end.place.sequence < 2 { try session.append(Self.content(1)) }
        let collector = LogCollector()
        #expect(try follower.follow(to: session.end.commit, collector) == .overtaken)
        let record = session.record
        let isThere = try follower.reach(session.end.commit, collector, isSteady: false) {
            () throws(BullaError) in record
        }
        #expect(isThere)
        #expect(collector.beginCount == 1)
        #expect(follower.position == session.end)
    }

    @Test(arguments: StoreKind.allCases)
    func `calls damage what ends too early where the record has not moved`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        let place = session.end.place
        for byte in 2...4 { try session.append(Self.content(UInt8(byte))) }
        try session.disk.overwrite(
            LogScene.path, with: [0xA5, 0x5A],
            at: UInt64(session.scene.offset(of: place)) + 60)
        var follower = try Self.follower(session)
        let (record, wanted) = (session.record, session.end.commit)
        let error = #expect(throws: BullaError.self) {
            _ = try follower.reach(wanted, LogCollector(), isSteady: false) {
                () throws(BullaError) in record
            }
        }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("byte \(place.offset) of half 0") == true)
        #expect(follower.position.commit == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `finds which of two headers is continued where one was torn over the other`(
        kind: StoreKind
    ) throws {
        let session = try Self.begin(kind)
        try session.append(Self.content(1))
        let keys = session.scene.keys
        let header = SegmentHeader(
            random: try .drawn(), world: Identifier(high: 9, low: 9), sequence: 0,
            previous: .none, durableCommit: 1, durablePlace: LogPlace(sequence: 0, offset: 0))
        let copy = try Buffer.make(SegmentField.byteCount)
        let bytes = copy.bytes.slice(0, SegmentField.byteCount)
        try keys.keys(epoch: 1).seal.write(header, segment: 0, copy: 0, into: bytes)
        try session.disk.overwrite(
            LogScene.path, with: bytes.view.copied(),
            at: UInt64(session.scene.offset(of: LogPlace(sequence: 0, offset: 0))))
        var follower = try Self.follower(session)
        #expect(try follower.follow(to: .max, LogCollector()) == .end(.notNext))
        #expect(follower.position == session.end)
    }

    @Test(arguments: [UInt64(1) << 40, .max])
    func `refuses a place that no log has`(offset: UInt64) throws {
        let session = try Self.begin(.gcm)
        try session.append(Self.content(1))
        var place = session.end
        place.place.offset = offset
        #expect(throws: BullaError.self) {
            _ = try LogFollower(
                session.scene.log(session.file), session.scene.keys, at: place)
        }
        var follower = try Self.follower(session)
        let error = #expect(throws: BullaError.self) { try follower.move(to: place) }
        #expect(error?.code == .corrupted)
        #expect(try follower.follow(to: .max, LogCollector()) == .end(.notNext))
        #expect(follower.position == session.end)
    }
}
