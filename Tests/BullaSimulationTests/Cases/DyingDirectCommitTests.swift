import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A process dies during a direct commit while another has the store open and waits for a commit of
/// its own.
@Suite(.serialized) struct `A direct commit whose process dies` {
    private static let configurations = [CipherSuite.aes256GCM, nil].map { suite in
        var one = Configuration(suite: suite, pageByteCount: 4096)
        one.lockTimeout = .seconds(5)
        return one
    }

    /// - Returns: whether the fault occurred.
    private static func explore(
        _ fault: DiskFault, _ configuration: Configuration, seed: UInt64
    ) throws -> Bool {
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        var firstEvent: Int?
        try session.traced { session in
            for _ in 0..<2 { try session.open() }
            for _ in 0..<3 { try session.transaction(0, .full) }
            try session.checkpoint(1)
            try session.putLarge(pageCount: 1, .full)
            try session.transaction(1, Session.relaxed)
            let eventCount = session.disk.eventCount
            session.note("die in a direct commit")
            session.disk.add(fault)
            do { try session.putLarge(pageCount: 40, .full) } catch is BullaError {}
            session.disk.clearFaults()
            guard session.opened[0].process.isDead else { return }
            firstEvent = eventCount
            // Nobody has written since then, so nobody has adopted what the dead process left.
            let other = session.opened[1].store
            try other.waitUntilDurable(session.current.commit)
            let allowed = session.timeline.allowed(at: session.disk.eventCount)
            try demand(
                allowed.versions.contains(try Version(of: other, .durable)),
                "a store sees a durable commit that cannot be")
            try session.mourn(0)
            for _ in 0..<2 { try session.transaction(0, .full) }
            try session.checkpoint(0)
        }
        guard let firstEvent else { return false }
        var explorer = Explorer(configuration, seed: seed)
        try explorer.explore(
            session,
            Explorer.Plan(
                cutLimit: TestMode.pick(short: 8, long: 100), sampleCount: 1, losesSlots: true),
            lastEvents: session.disk.eventCount - firstEvent)
        return true
    }

    @Test(arguments: [DiskCall.write, .flush, .flushRange], [true, false])
    func `is adopted by the next writer, or never was`(call: DiskCall, isBefore: Bool) throws {
        var (count, isStruck) = (0, true)
        while isStruck {
            isStruck = try Finding.within("\(call.rawValue) \(count)") {
                try Self.explore(
                    DiskFault(call, .kill(isBefore: isBefore), after: count),
                    Self.configurations[count % 2], seed: UInt64(count) + 1)
            }
            count = TestMode.next(count)
        }
        #expect(count > 1)
    }

    #if BULLA_CHECKS
    @Test(arguments: [PlantedBug.lookedPastAnnounced, .rootFramePassed])
    func `is found out where a rule about its frame is broken`(bug: PlantedBug) {
        let found = (0..<40).first { count in
            let result = PlantedBug.$current.withValue(bug) {
                Result {
                    try Self.explore(
                        DiskFault(.write, .kill(isBefore: false), after: count),
                        Self.configurations[count % 2], seed: UInt64(count) + 1)
                }
            }
            guard case .failure(let error) = result else { return false }
            TestMode.tell("\(bug), write \(count): \(error)")
            return error is Finding
        }
        #expect(found != nil)
    }
    #endif
}
