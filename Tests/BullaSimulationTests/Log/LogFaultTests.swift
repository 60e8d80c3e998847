import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A store whose disk refuses what its log, or a checkpoint, needs.
@Suite struct `A log on a disk that refuses` {
    @Test(arguments: StoreKind.allCases)
    func `a full disk during a checkpoint says so, and loses nothing`(kind: StoreKind) throws {
        var count = 0
        // The disk becomes full at each write of pages in turn.
        while try Finding.within("write \(count)", { try Self.fill(kind, after: count) }) {
            count = TestMode.next(count)
        }
        #expect(count > 0)
    }

    /// - Returns: whether the checkpoint made more than this many writes.
    private static func fill(_ kind: StoreKind, after count: Int) throws -> Bool {
        let live = try LiveStore(kind)
        defer { live.kill() }
        try live.commit(3)
        try live.store.takeOverLog()
        try live.commit(16, byteCount: 600)
        try live.fillDisk(after: count)
        guard let error = refusal({ try live.store.checkpoint() }) else { return false }
        #expect(error.code == .full)
        // Commits go on until the log is full, and then report that; every commit that was not
        // refused is there.
        var commitCount = 0
        let refused = refusal {
            while true {
                try live.commit(byteCount: 1000)
                commitCount += 1
            }
        }
        #expect(refused?.code == .full)
        #expect(commitCount > 10)
        try expect(live.current, in: live.store)
        // A process that died now would not have lost anything either.
        #expect(try live.freeze().open { _ in } == live.current.commit)
        live.disk.clearFaults()
        try live.commit(2)
        try live.store.takeOverLog()
        #expect(try live.store.info.log.unmergedByteCount == 0)
        try expect(live.current, in: live.store)
        try live.store.close()
        let again = try LiveStore(kind, after: try live.freeze())
        defer { again.kill() }
        try expect(live.current, in: again.store)
        return true
    }

    private static func expect(_ version: Version, in store: Store) throws {
        for visibility in [SnapshotVisibility.durable, .published] {
            #expect(try Version(of: store, visibility) == version)
        }
        #expect(try store.check().isSound)
    }

    /// Either of the two processes can be the one whose flush fails.
    @Test(arguments: StoreKind.allCases, [0, 1])
    func `a failed ranged flush poisons, and loses nothing that was acknowledged`(
        kind: StoreKind, leader: Int
    ) throws {
        let live = try LiveStore(kind)
        defer { live.kill() }
        try live.commit(3)
        try live.store.takeOverLog()
        let stores = [live.store, try LiveStore.open(SimulatedProcess(live.disk), kind)]
        try live.commit(4)
        let acknowledged = live.current
        var refused = acknowledged
        refused.commit += 1
        refused.trees[Array("t".utf8)]?[Array("late".utf8)] = Array("late".utf8)
        let struckCount = live.disk.struckFaultCount
        // Only flushes of the log fail, not those of marks, which lie before it.
        let log = UInt64(PageFormat.preambleByteCount)
        live.disk.add(DiskFault(.flushRange, .error(5), fromOffset: log))
        // The process that flushed learns why.
        #expect(Self.write(stores[leader])?.code == .io)
        #expect(live.disk.struckFaultCount == struckCount + 1)
        // No process acknowledges any more commits, in any way, though the disk works again.
        for store in stores {
            #expect(try store.info.isPoisoned)
            #expect(Self.write(store)?.code == .poisoned)
            #expect(Self.write(store, LiveStore.unflushed)?.code == .poisoned)
            #expect(refusal { try store.checkpoint() }?.code == .poisoned)
            #expect(refusal { try store.waitUntilDurable(refused.commit) }?.code == .poisoned)
        }
        for choice in [CrashChoice.processDeath, .everything, .nothing, .pagesOnly, .metaOnly] {
            try Self.expect([acknowledged, refused], after: choice, live)
        }
        for store in stores { _ = refusal { try store.close() } }
        try Self.expect([acknowledged, refused], after: .nothing, live)
    }

    /// The failure is not forgotten even if an outsider overwrites the word that records it.
    @Test(arguments: StoreKind.allCases)
    func `a failed ranged flush is not forgotten by changes of a checkpoint's record`(
        kind: StoreKind
    ) throws {
        let live = try LiveStore(kind)
        defer { live.kill() }
        try live.commit(3)
        let log = UInt64(PageFormat.preambleByteCount)
        live.disk.add(DiskFault(.flushRange, .error(5), fromOffset: log))
        #expect(Self.write(live.store)?.code == .io)
        try live.disk.overwrite(
            Configuration.path + ".bulla-world", with: [UInt8](repeating: 0, count: 8), at: 256)
        #expect(refusal { try live.store.limitLog(toBytes: 1 << 20) }?.code == .poisoned)
    }

    /// Before the second slot names the limit, another process takes the flush lock and keeps it.
    @Test func `a limit of the log that one slot names stands, and no commit is blamed`() throws {
        let disk = try SimulatedDisk()
        defer { disk.switchOff() }
        var configuration = Configuration.usual
        configuration.lockTimeout = .zero
        let store = try configuration.open(SimulatedProcess(disk))
        let other = try SimulatedProcess(disk).open(Configuration.path, .writing)
        let flush = LockByte.flush..<LockByte.flush + 1
        // The first call takes the lock for the first slot, and the second call releases it. The
        // third call is about to take the lock for the second slot.
        disk.whenLocked(flush) {
            disk.whenLocked(flush) {
                disk.whenLocked(flush) { _ = try? other.lock(LockByte.flush, .exclusive) }
            }
        }
        let error = refusal { try store.limitLog(toBytes: 1 << 20) }
        #expect(error?.code == .busy)
        #expect(error?.commit == nil)
        #expect(try store.info.log.byteLimit == 1 << 20)
        other.close()
        try store.limitLog(toBytes: 2 << 20)
        #expect(try store.info.log.byteLimit == 2 << 20)
        try store.close()
    }

    private static func write(_ store: Store, _ durability: Durability = .full) -> BullaError? {
        refusal {
            try store.write(durability: durability) { change in
                try change.put("late", forKey: "late", in: try change.tree(named: "t"))
            }
        }
    }

    /// Opens the store after a crash.
    private static func expect(
        _ versions: [Version], after choice: CrashChoice, _ live: LiveStore
    ) throws {
        try Finding.within("\(choice)") {
            var replay = DiskReplay(from: live.disk.base)
            for event in live.disk.history { replay.apply(event) }
            let disk = try SimulatedDisk(replay.crashed(choice))
            defer { disk.switchOff() }
            let store = try LiveStore.open(SimulatedProcess(disk), live.kind)
            let found = try Version(of: store, .published)
            try demand(versions.contains(found), "commit \(found.commit) is not what it was")
            #expect(try store.check().isSound)
            try store.close()
        }
    }
}
