import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `A flush of a shared log` {
    private static func bytes(_ byte: UInt8) -> [UInt8] { SharedLogBench.bytes(byte) }

    @Test(arguments: StoreKind.allCases)
    func `whose leader has died is made again, byte for byte`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        bench.disk.add(DiskFault(.flushRange, .kill(isBefore: true)))
        #expect(throws: BullaError.self) { try members[0].keep(Self.bytes(1)) }
        #expect(members[0].isDead && !members[1].isPoisoned)
        #expect(try bench.valuesAfter(.nothing).isEmpty, "the disk has nothing of it")
        let start = bench.disk.eventCount
        try members[1].log.awaitDurable(members[1].log.follow())
        #expect(bench.events(since: start) == ["write", "flush"])
        #expect(try bench.valuesAfter(.nothing) == [2: Self.bytes(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func `whose leader has died of it is made again by one that comes later`(
        kind: StoreKind
    ) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        bench.disk.add(DiskFault(.flushRange, .failAndKill))
        #expect(throws: BullaError.self) { try members[0].keep(Self.bytes(1)) }
        let late = try bench.open()
        try late.keep(Self.bytes(2))
        #expect(try bench.valuesAfter(.nothing) == [2: Self.bytes(1), 3: Self.bytes(2)])
    }

    /// The next leader does not know of a frame that nobody has announced.
    @Test(arguments: StoreKind.allCases)
    func `that was interrupted is remembered until a writer has seen to it`(
        kind: StoreKind
    ) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(4)
        try members[0].put(Self.bytes(1))
        bench.disk.add(
            DiskFault(
                .write, .kill(isBefore: false), nameEnd: "log",
                fromOffset: UInt64(PageFormat.preambleByteCount)))
        #expect(throws: BullaError.self) { try members[0].put(Self.bytes(2)) }
        bench.disk.add(DiskFault(.flushRange, .kill(isBefore: true)))
        for member in members[1...2] {
            try member.log.follow()
            try? member.log.awaitDurable(2)
        }
        #expect(members[1].isDead && !members[2].isDead)
        let start = bench.disk.eventCount
        try members[3].keep(Self.bytes(3))
        // The first two are for what a dead process left; the others are for this process's own
        // commit.
        #expect(bench.events(since: start) == ["write", "flush", "write", "flush"])
        #expect(try bench.valuesAfter(.nothing).count == 3)
        let second = bench.disk.eventCount
        try members[3].keep(Self.bytes(4))
        #expect(bench.events(since: second) == ["write", "flush"])
    }

    @Test(arguments: StoreKind.allCases)
    func `covers what was written before its leader came`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].put(Self.bytes(1))
        // The kernel's own write-back fails; a process learns of it, but does not report it.
        bench.disk.failWriteBack(of: SharedLogBench.path)
        let told = try SimulatedProcess(bench.disk).open(SharedLogBench.path, .writing)
        #expect(throws: BullaError.self) { try told.flush() }
        let late = try bench.open()
        try late.log.awaitDurable(late.log.follow())
        #expect(try bench.valuesAfter(.nothing) == [2: Self.bytes(1)])
        // Processes that had opened the file before the failure learn of it.
        #expect(throws: BullaError.self) { try members[1].keep(Self.bytes(2)) }
    }

    @Test(arguments: StoreKind.allCases)
    func `that fails poisons the log for all`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        bench.disk.add(DiskFault(.flushRange, .error(5)))
        #expect(throws: BullaError.self) { try members[0].keep(Self.bytes(1)) }
        #expect(members[1].isPoisoned)
        // An outsider overwrites the word.
        try bench.write(0, at: SharedLogBench.Word.poison)
        for member in members {
            #expect(throws: BullaError.self) { try member.put(Self.bytes(2)) }
            #expect(throws: BullaError.self) { try member.log.awaitDurable(2) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `ends where its leader had verified the log before`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let first = try bench.open()
        let ledger = LogLedger()
        let log = try #require(
            try SharedLog.join(bench.site.parts(SimulatedProcess(bench.disk)), bench.site, ledger))
        let commit = try log.put(Self.bytes(1), ledger)
        // Others commit after the disk has everything, and before the leader reports it.
        bench.disk.whenFlushSucceeds { _ = try? first.put(Self.bytes(2)) }
        try log.awaitDurable(commit)
        #expect(try first.log.follow() == commit + 1)
        #expect(try log.durableCommit() == commit)
    }
}
