import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `Memtables of a log` {
    @Test(
        arguments: StoreKind.allCases, TestMode.seeds(TestMode.pick(short: 3, long: 20)))
    func `say what was committed, in each process and beside each checkpoint`(
        kind: StoreKind, seed: UInt64
    ) throws {
        var run = try LogMemtablesRun(Scratch(), kind, seed: seed)
        try run.run(steps: TestMode.pick(short: 400, long: 4000))
    }

    @Test func `keep what each commit has made until a later one is durable`() throws {
        let scratch = try Scratch()
        let member = try LogMember(alone: scratch.path("log"))
        for number in 1...3 { try member.put([UInt8(number)], forKey: [7], in: 4) }
        let first = LogSite.beginning.commit
        for number in 0...3 {
            let value = try member.view(at: first + UInt64(number)).value(forKey: [7], in: 4)
            #expect(value == (number == 0 ? nil : [UInt8(number)]))
        }
        let held = try member.view(at: first + 1)
        member.memtables.settle(first + 2)
        #expect(throws: LogMember.Missing.self) { _ = try member.view(at: first + 1) }
        let former = held.value(forKey: [7], in: 4)
        let later = try member.view(at: first + 2).value(forKey: [7], in: 4)
        #expect(former == [1] && later == [2])
    }

    @Test func `give a snapshot what is durable, even beyond its request`() throws {
        let scratch = try Scratch()
        let member = try LogMember(alone: scratch.path("log"))
        let first = LogSite.beginning.commit
        for number in 1...4 { try member.put([UInt8(number)], forKey: [7], in: 4) }
        func see(_ view: consuming LogView?) -> (UInt64, [UInt8]?)? {
            guard let view else { return nil }
            return (view.commit, view.value(forKey: [7], in: 4))
        }
        var seen = try #require(see(try member.memtables.holdDurable(first + 1)))
        #expect(seen.0 == first + 1 && seen.1 == [1])
        member.memtables.settle(first + 3)
        seen = try #require(see(try member.memtables.holdDurable(first + 1)))
        #expect(seen.0 == first + 3 && seen.1 == [3])
        seen = try #require(see(try member.memtables.holdNewest(atLeast: first + 1)))
        #expect(seen.0 == first + 4 && seen.1 == [4])
        // The member has not followed the log that far.
        let isBeyond = see(try member.memtables.holdDurable(first + 5)) != nil
        let isNewer = see(try member.memtables.holdNewest(atLeast: first + 5)) != nil
        #expect(!isBeyond && !isNewer)
    }

    @Test func `give a checkpoint all of the older half, though commits after it are durable`()
        throws
    {
        let scratch = try Scratch()
        let member = try LogMember(alone: scratch.path("log"))
        let value = [UInt8](repeating: 7, count: 3000)
        var last: UInt64 = 0
        for number in 0..<16 { last = try member.put(value, forKey: [UInt8(number)], in: 4) }
        try member.log.awaitDurable(last)
        member.memtables.settle(last)
        let durable = try member.log.durablePosition()
        guard let taken = try member.memtables.holdForCheckpoint(durable) else {
            throw LogMember.Missing()
        }
        let (end, seen, isEmpty) = (taken.end, taken.view.commit, taken.view.pair.isEmpty)
        // Replay begins in the newer half: nothing of the older one is needed any more.
        #expect(
            end.place
                == LogPlace(
                    sequence: durable.place.sequence, offset: SegmentHeader.frameOffset))
        #expect(end.commit == seen && seen < last && !isEmpty)
    }

    @Test func `forget nothing of an edit that was given up, and keep nothing of it`() throws {
        let scratch = try Scratch()
        let member = try LogMember(alone: scratch.path("log"))
        try member.put([1], forKey: [7], in: 4)
        do {
            let turn = try member.log.beginCommit()
            var edit = try member.memtables.edit()
            try edit.put([2], forKey: [7], in: 4)
            let value = edit.value(forKey: [7], in: 4)
            _ = consume edit
            _ = consume turn
            #expect(value == [2])
        }
        var value = try member.view().value(forKey: [7], in: 4)
        #expect(value == [1])
        try member.put([3], forKey: [8], in: 4)
        value = try member.view().value(forKey: [7], in: 4)
        #expect(value == [1])
    }
}
