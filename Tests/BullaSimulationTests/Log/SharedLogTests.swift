import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `A log that processes share` {
    private static func bytes(_ byte: UInt8) -> [UInt8] { SharedLogBench.bytes(byte) }

    @Test(arguments: StoreKind.allCases)
    func `says the same to all of them`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(3)
        for number in 0..<20 { try members[number % 2].put(Self.bytes(UInt8(number))) }
        let expected = Dictionary(
            uniqueKeysWithValues: (0..<20).map { (UInt64($0 + 2), Self.bytes(UInt8($0))) })
        for member in members { #expect(try member.known() == expected) }
        #expect(try bench.open().known() == expected)
    }

    @Test(arguments: StoreKind.allCases)
    func `is durable for all when one has flushed`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        let start = bench.disk.eventCount
        for number in 0..<3 { try members[0].put(Self.bytes(UInt8(number))) }
        #expect(!bench.events(since: start).contains("flush"))
        #expect(try members[1].log.durableCommit() == 1)
        #expect(try bench.valuesAfter(.nothing).isEmpty)
        try members[1].log.follow()
        try members[1].log.awaitDurable(4)
        #expect(try members[0].log.durableCommit() == 4)
        #expect(bench.events(since: start).count { $0 == "flush" } == 1)
        #expect(try bench.valuesAfter(.nothing).count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `is durable across a switch of halves`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        var count = 0
        do {
            while true {
                try members[count % 2].put(SharedLogBench.bytes(UInt8(count), 3000))
                count += 1
            }
        } catch { #expect(error.code == .full) }
        #expect(count > 12)
        try members[0].log.awaitDurable(members[0].log.follow())
        #expect(try bench.valuesAfter(.nothing).count == count)
    }

    @Test(arguments: StoreKind.allCases)
    func `lets threads and processes commit at once, and loses nothing`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind, halfPageCount: 200)
        let members = try bench.open(3)
        try Crew.run(9) { thread in
            for number in 0..<20 {
                try members[thread % 3].keep([UInt8(thread), UInt8(number)])
            }
        }
        let values = try members[0].known()
        #expect(values.count == 180)
        for member in members { #expect(try member.known() == values) }
        #expect(try bench.valuesAfter(.nothing) == values)
        for thread in 0..<9 {
            let own = values.sorted { $0.key < $1.key }.map(\.value).filter { $0[0] == thread }
            #expect(own.map { Int($0[1]) } == Array(0..<20))
        }
    }

    @Test func `shows others a commit that was announced`() throws {
        let bench = try SharedLogBench(.gcm)
        let members = try bench.open(2)
        try Crew.run(2) { thread in
            if thread == 0 { try members[0].put(Self.bytes(1)) }
            guard thread == 1 else { return }
            while try members[1].log.follow() < 2 {}
        }
        #expect(members[1].ledger.values[2] == Self.bytes(1))
    }
}
