import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// Calls that the disk refuses: each gives an error, and nothing is lost.
@Suite struct `A call that the disk refuses` {
    private static let faults: [(DiskCall, Int32)] =
        DiskCall.allCases.map { ($0, 5) } + [
            (.write, 28), (.allocate, 28), (.open, 28), (.map, 12), (.rename, 28), (.link, 28),
        ]

    @Test(
        "7. and 8. A call refused with EIO, ENOSPC or ENOMEM gives an error, and loses nothing",
        arguments: faults)
    func refused(call: DiskCall, number: Int32) throws {
        try sweep(call, number, .error(number))
    }

    @Test("8. A write that stops half-way gives an error, and loses nothing")
    func stopped() throws { try sweep(.write, 5, .half(5)) }

    /// Makes each such call fail in turn, once or permanently, over a store's whole life.
    private func sweep(_ call: DiskCall, _ number: Int32, _ effect: DiskFault.Effect) throws {
        var count = 0
        var isStruck = true
        while isStruck {
            for (isLasting, sequel) in Self.courses {
                let fault = DiskFault(call, effect, after: count, isLasting: isLasting)
                try Finding.within("\(fault), then \(sequel)") {
                    isStruck = try strike(fault, number, sequel)
                }
            }
            count = TestMode.next(count)
        }
        #expect(count > 1)
    }

    /// Whether a fault is permanent, and what follows it.
    private static let courses: [(Bool, Session.Sequel)] = [
        (false, .usedAgain), (true, .closed), (false, .killed), (true, .usedAgain),
    ]

    /// Whether the fault has occurred.
    private func strike(
        _ fault: DiskFault, _ number: Int32, _ sequel: Session.Sequel
    ) throws -> Bool {
        let seed = UInt64(fault.skipCount + 1)
        var session = Session(.cutting, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        session.disk.add(fault)
        try session.traced { session in
            let error = try session.attempt()
            let isStruck = session.disk.struckFaultCount > 0
            try demand(error == nil || isStruck, "without a fault: \(error as Any)")
            if let error { try expectRefusal(error, number) }
            session.disk.clearFaults()
            try session.goOn(sequel)
        }
        let offence = GrowthAudit.offences(session.disk).first
        try demand(offence == nil, "before its length was durable: \(offence as Any)")
        return session.disk.struckFaultCount > 0
    }

    private func expectRefusal(_ error: BullaError, _ number: Int32) throws {
        let code: BullaError.Code = number == 28 ? .full : number == 12 ? .outOfMemory : .io
        try demand(
            error.code == code || error.code == .poisoned, "errno \(number) was told as \(error)")
    }

    @Test("8. An opener that is refused a second open file takes its coordination file away")
    func opening() throws {
        let disk = try SimulatedDisk()
        try Configuration.usual.open(SimulatedProcess(disk)).close()
        disk.add(DiskFault(.open, .error(5), after: 1, nameEnd: Configuration.path))
        #expect(
            refusal { _ = try Configuration.usual.open(SimulatedProcess(disk)) }?.code == .io)
        #expect(disk.struckFaultCount == 1)
        #expect(!disk.isThere(Configuration.path + ".bulla-world"))
        try Configuration.usual.open(SimulatedProcess(disk)).close()
    }

    @Test(
        "6. A flush that fails once poisons the store for all; opened again it has C or V",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 60)))
    func failedFlush(seed: UInt64) throws {
        let configuration = Configuration.of(seed: seed)
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(configuration, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.work(steps: 6)
                while session.opened.count < 3 { try session.open() }
                try session.failFlush()
                try session.closeAll()
            }
            #expect(session.disk.struckFaultCount == 1)
            var explorer = Explorer(configuration, seed: seed)
            try explorer.explore(
                session, Explorer.Plan(cutLimit: TestMode.pick(short: 6, long: 12), sampleCount: 1))
        }
    }
}
