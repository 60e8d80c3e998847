import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// The kernel reports a failed write-back once to each open file, and does not write that data
/// again.
@Suite struct `A write-back that fails` {
    private static let seeds = TestMode.seeds(TestMode.pick(short: 3, long: 60))

    @Test(
        "33. is told to the leader too, when another flush of its process was told first",
        arguments: seeds)
    func overlapping(seed: UInt64) throws { try run(.overlapping, seed) }

    @Test(
        "33. stays known to those it was reported to, whatever an outsider overwrites",
        arguments: seeds)
    func scribbled(seed: UInt64) throws { try run(.scribbled, seed) }

    @Test(
        "33. is repaired by a process that missed the report: it rewrites what was there",
        arguments: seeds)
    func dying(seed: UInt64) throws { try run(.dying, seed) }

    @Test("33. is reported to the next flush, if to nobody before", arguments: seeds)
    func unseen(seed: UInt64) throws { try run(.unseen, seed) }

    private func run(_ failure: Session.WriteBackFailure, _ seed: UInt64) throws {
        try Finding.within(TestMode.replay(seed)) { _ = try Self.explore(failure, seed) }
    }

    /// Makes a write-back fail after some work, and crashes the disk wherever it can.
    private static func explore(
        _ failure: Session.WriteBackFailure, _ seed: UInt64
    ) throws -> Int {
        let configuration = Configuration.of(seed: seed)
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        try session.traced { session in
            try session.work(steps: 6)
            try session.fail(failure)
            try session.closeAll()
        }
        #expect(session.disk.history.contains { $0.isFailedFlush })
        var explorer = Explorer(configuration, seed: seed)
        let plan = Explorer.Plan(cutLimit: TestMode.pick(short: 12, long: 40), sampleCount: 1)
        try explorer.explore(session, plan)
        return explorer.imageCount
    }

    #if BULLA_CHECKS
    /// Each bug breaks a rule, and is paired with the failure that shows what the rule is for.
    @Test(
        "33. is found, where an engine does not keep a rule about it",
        arguments: [
            (PlantedBug.flushHandleShared, Session.WriteBackFailure.overlapping),
            (.poisonNotLatched, .scribbled), (.formerPagesTrusted, .dying),
        ])
    func planted(bug: PlantedBug, failure: Session.WriteBackFailure) throws {
        let isFound = (1...40).contains { seed in
            let result = PlantedBug.$current.withValue(bug) {
                Result { try Self.explore(failure, UInt64(seed)) }
            }
            if case .failure(let error) = result { return error is Finding }
            return false
        }
        #expect(isFound)
    }
    #endif
}
