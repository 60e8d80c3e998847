import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// One of the processes that have a store open is killed; the others go on.
@Suite struct `A process killed among others` {
    @Test(
        "1. A writer killed at any call leaves the last published commit, and nobody waits",
        arguments: [DiskCall.write, .lock], [true, false])
    func writer(call: DiskCall, isBefore: Bool) throws {
        try sweep(call, isBefore, .relaxed(within: .seconds(20)))
    }

    @Test(
        "2. A leader killed before, during or after its flush is replaced, and no commit is lost",
        arguments: [DiskCall.write, .flushRange, .lock], [true, false])
    func leader(call: DiskCall, isBefore: Bool) throws {
        try sweep(call, isBefore, .full)
    }

    private func sweep(_ call: DiskCall, _ isBefore: Bool, _ durability: Durability) throws {
        var count = 0
        var isStruck = true
        while isStruck {
            isStruck = try Finding.within("\(call) \(count)") {
                try kill(call, isBefore, count, durability)
            }
            count = TestMode.next(count)
        }
        #expect(count > 1)
    }

    /// Whether there were enough calls for the fault to kill the process.
    private func kill(
        _ call: DiskCall, _ isBefore: Bool, _ count: Int, _ durability: Durability
    ) throws -> Bool {
        var session = Session(.usual, try SimulatedDisk(), seed: 7)
        defer { session.end() }
        try session.traced { session in
            try session.open()
            try session.open()
            for _ in 0..<3 { try session.transaction(0, .full) }
            try session.transaction(1, .relaxed(within: .seconds(20)))
            session.disk.add(DiskFault(call, .kill(isBefore: isBefore), after: count))
            do { for _ in 0..<3 { try session.transaction(0, durability) } } catch is BullaError {
                try demand(session.opened[0].process.isDead, "a living process was refused")
            }
            if session.opened[0].process.isDead { try session.mourn(0) }
            session.disk.clearFaults()
            for _ in 0..<3 { try session.transaction(session.opened.count - 1, .full) }
        }
        let isStruck = session.disk.struckFaultCount > 0
        try session.closeAll()
        var explorer = Explorer(.usual, seed: UInt64(count))
        try explorer.explore(
            session, Explorer.Plan(cutLimit: TestMode.pick(short: 1, long: 6), sampleCount: 0))
        return isStruck
    }
}
