import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `A writer of a shared log` {
    private static func bytes(_ byte: UInt8) -> [UInt8] { SharedLogBench.bytes(byte) }
    private static let log = UInt64(PageFormat.preambleByteCount)

    private static func fault(_ effect: DiskFault.Effect) -> DiskFault {
        DiskFault(.write, effect, nameEnd: "log", fromOffset: log)
    }

    @Test(arguments: StoreKind.allCases)
    func `announces the whole frame of a dead one`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(3)
        try members[0].put(Self.bytes(1))
        bench.disk.add(Self.fault(.kill(isBefore: false)))
        #expect(throws: BullaError.self) { try members[0].put(Self.bytes(2)) }
        #expect(try members[2].known().count == 1, "nobody has announced it")
        #expect(try members[1].put(Self.bytes(3)) == 4)
        #expect(
            try members[2].known() == [2: Self.bytes(1), 3: Self.bytes(2), 4: Self.bytes(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `writes over the incomplete frame of a dead one`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(3)
        try members[0].put(Self.bytes(1))
        bench.disk.add(Self.fault(.half(5)))
        // It dies before it can take back what it has written.
        bench.disk.add(Self.fault(.kill(isBefore: true)))
        #expect(throws: BullaError.self) { try members[0].put(Self.bytes(2)) }
        #expect(members[0].isDead)
        #expect(try members[1].put(Self.bytes(3)) == 3)
        #expect(try members[2].known() == [2: Self.bytes(1), 3: Self.bytes(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `takes back a frame whose write has failed, and goes on`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].put(Self.bytes(1))
        bench.disk.add(Self.fault(.half(5)))
        let start = bench.disk.eventCount
        #expect(throws: BullaError.self) { try members[0].put(Self.bytes(2)) }
        guard case .write(_, _, let head)? = bench.disk.history.last else {
            Issue.record("nothing was taken back")
            return
        }
        #expect(bench.disk.eventCount == start + 2 && head.allSatisfy { $0 == 0 })
        #expect(!members[0].isPoisoned)
        #expect(try members[0].put(Self.bytes(3)) == 3)
        #expect(try members[1].known() == [2: Self.bytes(1), 3: Self.bytes(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `that cannot take a frame back poisons the log`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].put(Self.bytes(1))
        bench.disk.add(Self.fault(.half(5)))
        bench.disk.add(Self.fault(.error(5)))
        #expect(throws: BullaError.self) { try members[0].put(Self.bytes(2)) }
        for member in members {
            #expect(throws: BullaError.self) { try member.put(Self.bytes(3)) }
            #expect(member.isPoisoned)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps a whole frame whose write is said to have failed`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].put(Self.bytes(1))
        bench.disk.add(Self.fault(.whole(5)))
        #expect(try members[0].put(Self.bytes(2)) == 3)
        #expect(try members[1].known()[3] == Self.bytes(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `catches up again after whatever has failed`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        var next: UInt64 = 2
        // The very first write is that of a segment's header.
        for effect in [DiskFault.Effect.error(28), .half(5), .error(5), .error(28)] {
            bench.disk.add(Self.fault(effect))
            #expect(throws: BullaError.self) { try members[0].put(Self.bytes(9)) }
            #expect(try members[1].put(Self.bytes(1)) == next)
            #expect(try members[0].put(Self.bytes(2)) == next + 1)
            next += 2
        }
        #expect(throws: BullaError.self) {
            try members[0].put(SharedLogBench.bytes(1, 1 << 16))
        }
        #expect(try members[0].put(Self.bytes(3)) == next)
        #expect(try members[1].known().count == Int(next) - 1)
    }

    @Test func `leaves nothing where it gives its turn up`() throws {
        let bench = try SharedLogBench(.gcm)
        let members = try bench.open(2)
        do {
            var turn = try members[0].log.beginCommit()
            try Self.bytes(2).withView { bytes throws(BullaError) in
                try turn.append(.put(tree: 7, key: bytes, value: bytes))
            }
        }
        #expect(try members[0].put(Self.bytes(1)) == 2)
        #expect(try members[1].known() == [2: Self.bytes(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func `commits several parts as one`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind, halfPageCount: 2000)
        let members = try bench.open(2)
        let long = TestRandom.bytesOfMany(3 << 20)
        _ = try members[0].log.put(long, members[0].ledger)
        #expect(try members[1].known() == [2: long])
    }
}

extension TestRandom {
    fileprivate static func bytesOfMany(_ count: Int) -> [UInt8] {
        var random = TestRandom(seed: 1)
        return random.bytes(count)
    }
}
