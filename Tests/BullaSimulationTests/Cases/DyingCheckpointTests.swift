import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A process that dies as it makes a checkpoint, while another one has the store open: what it has
/// begun is finished or begun anew, and a power cut later leaves what was acknowledged.
@Suite struct `A checkpoint whose process dies` {
    private static let configurations = [CipherSuite.aes256GCM, nil].map {
        Configuration(suite: $0, pageByteCount: 4096)
    }

    /// - Returns: whether the fault was met.
    private static func explore(
        _ fault: DiskFault, _ configuration: Configuration, seed: UInt64
    ) throws -> Bool {
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        var isStruck = false
        try session.traced { session in
            try session.open()
            try session.open()
            // Two checkpoints that the one which dies builds on, so that pages are used again.
            for _ in 0..<2 {
                for _ in 0..<3 { try session.transaction(0, .full) }
                try session.checkpoint(1)
            }
            for _ in 0..<3 { try session.transaction(1, .full) }
            session.note("die in a checkpoint")
            session.disk.add(fault)
            _ = refusal { try session.opened[0].store.checkpoint() }
            session.disk.clearFaults()
            // The other one may be at a checkpoint of its own.
            let dead = session.opened.firstIndex { $0.process.isDead }
            guard let dead else { return }
            isStruck = true
            try session.mourn(dead)
            for _ in 0..<2 {
                for _ in 0..<3 { try session.transaction(0, .full) }
                try session.checkpoint(0)
            }
        }
        guard isStruck else { return false }
        var explorer = Explorer(configuration, seed: seed)
        let plan = Explorer.Plan(cutLimit: TestMode.pick(short: 30, long: 200), sampleCount: 2)
        try explorer.explore(session, plan)
        return true
    }

    @Test(arguments: configurations, [DiskCall.write, .flush])
    func `after a write or a flush is taken over by another`(
        configuration: Configuration, call: DiskCall
    ) throws {
        var count = 0
        var isStruck = true
        while isStruck {
            isStruck = try Finding.within("\(call.rawValue) \(count)") {
                try Self.explore(
                    DiskFault(call, .kill(isBefore: count % 2 == 0), after: count),
                    configuration, seed: UInt64(count) + 1)
            }
            count += 1
        }
        #expect(count > 3)
    }

    #if BULLA_CHECKS
    @Test func `is found out where its slot is written over by the next one`() {
        let isFound = (0..<40).contains { number in
            let result = PlantedBug.$current.withValue(.newerSlotIgnored) {
                Result {
                    try Self.explore(
                        DiskFault(.flush, .kill(isBefore: false), after: number % 4),
                        Self.configurations[number % 2], seed: UInt64(number) + 1)
                }
            }
            if case .failure = result { return true }
            return false
        }
        #expect(isFound)
    }
    #endif
}
